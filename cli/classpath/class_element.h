// ClassElement: one place of a ClassPath: a folder, an archive, the image of a JDK.
//
// Guarantees: as ClassPath. Names are internal ones, "java/lang/Object", and safe: no part of a path
// leaves its folder. Threads: const methods may run in parallel.
// Failure: as ClassPath::Find.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/classpath/byte_file.h"
#include "cli/classpath/jdk_image.h"
#include "cli/classpath/manifest.h"
#include "cli/classpath/zip_file.h"

namespace iprof::classpath {

class ClassElement {
 public:
  virtual ~ClassElement() = default;
  virtual Result<std::optional<Bytes>> Find(std::string_view internal_name) const = 0;
  const std::string& place() const { return place_; }

 protected:
  explicit ClassElement(std::string place) : place_(std::move(place)) {}

 private:
  std::string place_;
};

class FolderElement : public ClassElement {
 public:
  explicit FolderElement(std::string path) : ClassElement(std::move(path)) {}
  Result<std::optional<Bytes>> Find(std::string_view internal_name) const override;
};

// The classes below a folder of an archive: "" or "BOOT-INF/classes/".
class ArchiveElement : public ClassElement {
 public:
  // `release`: for archives with several versions of a class.
  ArchiveElement(std::shared_ptr<const ZipFile> archive, std::string folder,
                 const Manifest& manifest, int release);
  Result<std::optional<Bytes>> Find(std::string_view internal_name) const override;

 private:
  std::shared_ptr<const ZipFile> archive_;
  std::string folder_;
  std::vector<int> versions_;  // those that this JVM uses, the newest first
};

class JdkElement : public ClassElement {
 public:
  explicit JdkElement(JdkImage image, std::string place)
      : ClassElement(std::move(place)), image_(std::move(image)) {}
  Result<std::optional<Bytes>> Find(std::string_view internal_name) const override;

 private:
  JdkImage image_;
};

}  // namespace iprof::classpath
