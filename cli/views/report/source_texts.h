// SourceTexts: source files of classes, from folders and jars (--sources).
//
// A file is looked for by the package of its class: "a/b/Cart.java" in the folder or archive itself, in src/main/java below it,
// and below each first-level folder, because a JDK's src.zip and multi-module projects have one more.
//
// Guarantees: a name from a class file cannot leave the folder. A file is read once. Larger files than kMostSourceBytes are not
// read. Threads: one per object. Failure: Add returns an error that names what it cannot open; a file that is missing or
// cannot be read is null; std::bad_alloc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/classpath/zip_file.h"
#include "writer/base/status.h"

namespace iprof::report {

inline constexpr uint64_t kMostSourceBytes = uint64_t{8} << 20;

class SourceTexts {
 public:
  // A folder, or a jar or zip.
  Status Add(const std::string& path);
  bool empty() const { return places_.empty(); }

  // The lines of a class's source file: "a/b/Outer$Inner", "Outer.java".
  const std::vector<std::string>* Find(std::string_view internal_name, std::string_view file) const;
  // Where that file is, if it is in a folder: "src/main/java/a/b/Outer.java".
  std::optional<std::string> PathOf(std::string_view internal_name, std::string_view file) const;

 private:
  struct Place {
    std::string folder;                         // with '/' at its end
    std::optional<classpath::ZipFile> archive;  // instead of a folder
    std::vector<std::string> prefixes;          // where packages may begin
  };
  std::optional<std::string> Read(const std::string& path) const;

  std::vector<Place> places_;
  mutable std::unordered_map<std::string, std::vector<std::string>> read_;  // by path; empty: none
};

}  // namespace iprof::report
