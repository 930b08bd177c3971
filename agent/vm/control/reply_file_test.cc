#include "agent/vm/control/reply_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "writer/base/temporary_folder.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

std::string ContentOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("A reply is complete and private, and nothing else is left", "[reply_file]") {
  const TemporaryFolder folder;
  REQUIRE(WriteReply(folder / "answer", "{}").ok());
  CHECK(ContentOf(folder / "answer") == "{}");
  struct stat found {};
  REQUIRE(stat((folder / "answer").c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("A reply changes no existing file and follows no link", "[reply_file]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "answer") << "old";
  CHECK_FALSE(WriteReply(folder / "answer", "new").ok());
  CHECK(ContentOf(folder / "answer") == "old");
  CHECK_FALSE(fs::exists(folder / "answer.part"));
  fs::create_symlink(folder / "elsewhere", folder / "link");
  CHECK_FALSE(WriteReply(folder / "link", "new").ok());
  fs::create_symlink(folder / "elsewhere", folder / "third.part");
  CHECK_FALSE(WriteReply(folder / "third", "new").ok());
  CHECK_FALSE(fs::exists(folder / "elsewhere"));
}

TEST_CASE("A reply needs a private folder", "[reply_file]") {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::all);
  const Status refused = WriteReply(folder / "answer", "{}");
  CHECK(refused.code() == Code::kUsage);
  CHECK_FALSE(fs::exists(folder / "answer"));
  CHECK_FALSE(WriteReply("answer", "{}").ok());
  CHECK_FALSE(WriteReply("", "{}").ok());
}

TEST_CASE("A tool that has given up wants no reply", "[reply_file]") {
  const TemporaryFolder folder;
  CHECK(WriteReply(folder / "gone/answer", "{}").ok());
  CHECK_FALSE(fs::exists(folder / "gone"));
}

}  // namespace iprof::vm
