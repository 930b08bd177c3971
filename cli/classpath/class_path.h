// ClassPath: class files by name, from the places where a JVM looks for them: its own image, jars and
// folders.
//
//   auto classes = OpenClassPath("app.jar:lib/*:build/classes", "/usr/lib/jvm/jdk-17", 17);
//   auto found = classes->Find("java.lang.Object");
//
// As a JVM does, it takes the JDK's classes first, then the first element that has the class. An
// element is a jar, a folder, or "folder/*" for all jars of a folder; an empty element is the current
// folder. It follows the Class-Path of a jar's manifest, and reads META-INF/versions of a
// multi-release jar. The classes and libraries inside of Spring Boot's jars (BOOT-INF) and of web
// archives (WEB-INF) are found as well.
//
// Guarantees: opening reads lists of names; a class is read when it is asked for, and not kept. Files
// may be damaged in any way. Memory is proportional to the lists.
// Threads: one while something is added; afterwards const methods may run in parallel.
// Failure: an element that does not exist, or is damaged, is an error that names it; the elements
// before it stay. A JVM ignores what a manifest's class path names and is missing or damaged, and so
// does Add. A damaged class is an error of Find; no class of that name is nullopt. Throws nothing but
// std::bad_alloc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/classpath/byte_file.h"
#include "writer/base/java_release.h"
#include "writer/base/status.h"

namespace iprof::classpath {

// No JVM takes a larger class file; the largest in use have about 5 MB.
inline constexpr uint64_t kMostClassBytes = uint64_t{64} << 20;
// Of a compressed jar inside a jar, which is inflated into memory.
inline constexpr uint64_t kMostNestedBytes = uint64_t{512} << 20;

struct FoundClass {
  Bytes bytes;
  std::string_view place;  // "app.jar"; valid as long as the ClassPath
  bool is_jdk = false;
};

class ClassElement;

class ClassPath {
 public:
  // `release`: the version of the JVM, 17 for 17.0.5. It decides which classes of multi-release jars
  // are used.
  explicit ClassPath(int release);
  ~ClassPath();
  ClassPath(ClassPath&&) noexcept;
  ClassPath& operator=(ClassPath&&) noexcept;

  // Elements, separated by ':'.
  Status Add(std::string_view elements);
  // `home`: the JDK's or runtime's folder.
  Status AddJdk(const std::string& home);

  // "java.lang.Thread$State" or "java/lang/Thread$State". Arrays and hidden classes have no file.
  Result<std::optional<FoundClass>> Find(std::string_view name) const;

  // The internal names of all classes that Find finds outside the JDK, ascending: "a/b/Outer$Inner". Not those of modules and packages
  // ("package-info").
  std::set<std::string> Names() const;

  bool has_jdk() const { return jdk_ != nullptr; }
  // The number of places: jars, folders, the JDK's image.
  size_t size() const { return elements_.size() + (jdk_ != nullptr ? 1 : 0); }

 private:
  Status AddElement(const std::string& path);
  Status AddArchive(const std::string& path);
  Status AddWildcard(const std::string& folder);

  int release_;
  std::unique_ptr<ClassElement> jdk_;
  std::vector<std::unique_ptr<ClassElement>> elements_;
  std::set<std::string> added_;  // paths, so that manifests may name each other
};

// Opens both; either may be empty. `release` is used if there is no JDK, which has its own.
Result<ClassPath> OpenClassPath(std::string_view elements, const std::string& jdk_home,
                                int release);

// The version of the JDK in this folder, "17.0.5", by its file `release`.
Result<std::string> JdkVersion(const std::string& home);
using iprof::FeatureRelease;

}  // namespace iprof::classpath
