#include "cli/views/report/source_texts.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cli/classpath/archive_builder.h"

namespace iprof::report {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() { fs::create_directories(path_); }
  ~Folder() { fs::remove_all(path_); }
  std::string path() const { return path_.string(); }
  std::string Write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  fs::path path_ = fs::temp_directory_path() / ("iprof-sources-" + std::to_string(getpid()));
};

std::string First(const SourceTexts& sources, std::string_view name, std::string_view file) {
  const auto* text = sources.Find(name, file);
  return text == nullptr ? "none" : text->front();
}

}  // namespace

TEST_CASE("sources of folders: packages, Maven's layout and modules") {
  const Folder folder;
  folder.Write("a/b/Plain.java", "plain\n");
  folder.Write("src/main/java/a/Maven.java", "maven\n");
  folder.Write("core/src/main/java/a/Module.java", "module\n");
  folder.Write("java.base/a/Jdk.java", "jdk\n");
  folder.Write("Default.java", "default\n");
  SourceTexts sources;
  REQUIRE(sources.Add(folder.path()).ok());
  CHECK(First(sources, "a/b/Plain$1", "Plain.java") == "plain");
  CHECK(First(sources, "a/Maven", "Maven.java") == "maven");
  CHECK(First(sources, "a/Module", "Module.java") == "module");
  CHECK(First(sources, "a/Jdk", "Jdk.java") == "jdk");
  CHECK(First(sources, "Default", "Default.java") == "default");
  CHECK(First(sources, "a/Missing", "Missing.java") == "none");
}

TEST_CASE("sources of archives") {
  const Folder folder;
  const classpath::Bytes bytes =
      classpath::MakeArchive({{"a/Plain.java", "plain\nsecond\n", true},
                              {"java.base/java/lang/Object.java", "object\n", false}});
  const std::string path = folder.Write("sources.jar", std::string(bytes.begin(), bytes.end()));
  SourceTexts sources;
  REQUIRE(sources.Add(path).ok());
  CHECK(First(sources, "a/Plain", "Plain.java") == "plain");
  CHECK(First(sources, "java/lang/Object", "Object.java") == "object");
  CHECK(sources.Find("a/Plain", "Plain.java")->size() == 2);
}

TEST_CASE("a name from a class file cannot leave the folder") {
  const Folder folder;
  folder.Write("secret.txt", "secret\n");
  folder.Write("sources/a/A.java", "a\n");
  SourceTexts sources;
  REQUIRE(sources.Add(folder.path() + "/sources").ok());
  CHECK(First(sources, "a/A", "A.java") == "a");
  CHECK(First(sources, "a/A", "../../secret.txt") == "none");
  CHECK(First(sources, "../A", "secret.txt") == "none");
  CHECK(First(sources, "a/../../A", "secret.txt") == "none");
  CHECK(First(sources, "/etc/A", "passwd") == "none");
  CHECK(First(sources, "a/A", "..") == "none");
}

TEST_CASE("what is neither a folder nor an archive is an error that names it") {
  const Folder folder;
  SourceTexts sources;
  const Status missing = sources.Add(folder.path() + "/missing");
  CHECK(missing.message().find("/missing") != std::string::npos);
  CHECK_FALSE(sources.Add(folder.Write("text.txt", "no archive")).ok());
  CHECK(sources.empty());
}

}  // namespace iprof::report
