// Files in a folder with a default list stay as private as they were asked to be.
#include "writer/profile/io/access_list.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <initializer_list>

#include "writer/base/temporary_folder.h"
#include "writer/profile/io/atomic_file.h"

namespace iprof {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAccess = "system.posix_acl_access";
constexpr const char* kDefault = "system.posix_acl_default";

// An attribute's text: numbers of so many bytes, the lowest first.
void Put(uint32_t number, int bytes, std::string* text) {
  for (int i = 0; i < bytes; ++i) text->push_back(static_cast<char>(number >> (8 * i)));
}

// The user 4002 may read and write, the file's group nothing, others as given.
std::string ListWithUser(uint32_t mask, uint32_t others) {
  constexpr uint32_t kNobody = UINT32_MAX;
  struct Entry {
    uint32_t tag;
    uint32_t allowed;
    uint32_t who;
  };
  std::string text;
  Put(2, 4, &text);  // version
  for (const Entry& entry : std::initializer_list<Entry>{{0x01, 6, kNobody},
                                                         {0x02, 6, 4002},
                                                         {0x04, 0, kNobody},
                                                         {0x10, mask, kNobody},
                                                         {0x20, others, kNobody}}) {
    Put(entry.tag, 2, &text);
    Put(entry.allowed, 2, &text);
    Put(entry.who, 4, &text);
  }
  return text;
}

std::string ListOf(const std::string& path) {
  std::string text(1 << 10, '\0');
  const ssize_t size = ::getxattr(path.c_str(), kAccess, text.data(), text.size());
  text.resize(size < 0 ? 0 : static_cast<size_t>(size));
  return text;
}

// false: this file system has no lists.
bool SetDefault(const TemporaryFolder& folder, const std::string& list) {
  return ::setxattr(folder.path().c_str(), kDefault, list.data(), list.size(), 0) == 0;
}

void Write(const std::string& path, Readers readers) {
  const auto file = AtomicFile::Create(path, SystemCalls::Real(), readers);
  REQUIRE(file.ok());
  CHECK((*file)->Commit().message() == "");
}

struct stat StatOf(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info;
}

mode_t ModeOf(const std::string& path) { return StatOf(path).st_mode & 07777; }

// Another file gets the name after it was looked at.
class ReplacedMeanwhile final : public SystemCalls {
 public:
  int Faccessat(int folder, const char* name, int mode) override {
    std::error_code ignored;
    fs::rename(from, to, ignored);
    return SystemCalls::Faccessat(folder, name, mode);
  }
  std::string from;
  std::string to;
};

TEST_CASE("a file for its owner or group does not open the folder's default list") {
  const TemporaryFolder folder;
  if (!SetDefault(folder, ListWithUser(6, 4))) {
    WARN("no access lists here");
    return;
  }
  for (const Readers readers : {Readers::kOwner, Readers::kGroup}) {
    const std::string path = folder / "new";
    Write(path, readers);
    CHECK(ModeOf(path) == 0600);
    fs::remove(path);
  }
  // Whoever sets a default list wants it for what anybody may read.
  const mode_t umask_before = umask(0022);
  Write(folder / "shared", Readers::kByUmask);
  umask(umask_before);
  CHECK(ModeOf(folder / "shared") == 0664);
}

TEST_CASE("what replaces a file has its list, or none") {
  const TemporaryFolder folder;
  const std::string without = folder / "without";
  std::ofstream(without) << "old";
  fs::permissions(without, fs::perms(0640));
  if (!SetDefault(folder, ListWithUser(6, 4))) {
    WARN("no access lists here");
    return;
  }
  Write(without, Readers::kByUmask);
  CHECK(ModeOf(without) == 0640);
  CHECK(ListOf(without).empty());

  const std::string with = folder / "with";
  std::ofstream(with) << "old";
  const std::string list = ListWithUser(4, 0);
  REQUIRE(::setxattr(with.c_str(), kAccess, list.data(), list.size(), 0) == 0);
  for (int i = 0; i < 2; ++i) {
    Write(with, Readers::kOwner);
    CHECK(ModeOf(with) == 0640);
    CHECK(ListOf(with) == list);
  }
}

TEST_CASE("if the old list is not known, the group gets nothing") {
  const TemporaryFolder folder;
  const std::string old = folder / "old";
  std::ofstream(old) << "old";
  std::ofstream(folder / "other") << "other";
  fs::permissions(old, fs::perms(0664));
  ReplacedMeanwhile calls;
  calls.from = folder / "other";
  calls.to = old;
  const auto file = AtomicFile::Create(old, calls);
  REQUIRE(file.ok());
  CHECK((*file)->Commit().ok());
  CHECK(ModeOf(old) == 0604);
}

TEST_CASE("a file has a list or not, and one can be taken from another") {
  const TemporaryFolder folder;
  const std::string plain = folder / "plain";
  std::ofstream(plain) << "";
  const int fd = ::open(plain.c_str(), O_RDWR | O_CLOEXEC);
  const int place = ::open(fs::path(plain).parent_path().c_str(), O_PATH | O_CLOEXEC);
  CHECK_FALSE(AccessList::IsOn(fd));
  const auto give_list_of = [&](const char* name, const std::string& expected) {
    return AccessList::Of(place, name, StatOf(expected)).GiveTo(fd);
  };
  CHECK(give_list_of("plain", plain));
  CHECK_FALSE(give_list_of("nothing", plain));
  CHECK_FALSE(AccessList::IsOn(fd));
  if (!SetDefault(folder, ListWithUser(6, 4))) {
    WARN("no access lists here");
  } else {
    const std::string with = folder / "with";
    std::ofstream(with) << "";
    CHECK(give_list_of("with", with));
    // give_list_of has put it there.
    CHECK(AccessList::IsOn(fd));
    CHECK_FALSE(give_list_of("with", plain));
    CHECK_FALSE(AccessList::IsOn(fd));
    fs::create_symlink("with", folder / "link");
    CHECK_FALSE(give_list_of("link", with));
    CHECK(give_list_of("with", with));
    CHECK(AccessList::IsOn(fd));
    CHECK(ListOf(plain) == ListOf(folder / "with"));
    CHECK(AccessList().GiveTo(fd));
    CHECK_FALSE(AccessList::IsOn(fd));
  }
  ::close(place);
  ::close(fd);
}

}  // namespace
}  // namespace iprof
