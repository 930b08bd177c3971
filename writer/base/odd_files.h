// OddFiles: for tests, a folder with one of each kind of what can be at a name instead of a file.
//
//   const OddFiles odd;
//   for (const OddFile& file : odd.all()) { INFO(file.path); … }
//
// Guarantees: a test that waits at one of them ends after a minute, by SIGALRM.
// Threads: one. Failure: of the test.
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "writer/base/open_file.h"
#include "writer/base/temporary_folder.h"

namespace iprof {

enum class OddKind {
  kPipe,        // ours
  kOthersPipe,  // another user's; only there if the test runs as root
  kSocket,      // no process listens
  kFolder,      // empty
  kDevice,      // a link to /dev/null
  kDangling,    // a link to nothing
  kLoop,        // a link to itself
};

struct OddFile {
  OddKind kind;
  std::string path;
};

inline constexpr uid_t kOtherUser = 4002;

// Those that this test can make.
inline std::vector<OddKind> OddKinds() {
  std::vector<OddKind> kinds{OddKind::kPipe,   OddKind::kSocket,   OddKind::kFolder,
                             OddKind::kDevice, OddKind::kDangling, OddKind::kLoop};
  if (::geteuid() == 0) kinds.push_back(OddKind::kOthersPipe);
  return kinds;
}

inline void MakeOdd(OddKind kind, const std::string& path) {
  namespace fs = std::filesystem;
  switch (kind) {
    case OddKind::kPipe:
      REQUIRE(::mkfifo(path.c_str(), 0666) == 0);
      break;
    case OddKind::kOthersPipe:
      REQUIRE(::mkfifo(path.c_str(), 0666) == 0);
      REQUIRE(::chmod(path.c_str(), 0666) == 0);
      REQUIRE(::chown(path.c_str(), kOtherUser, kOtherUser) == 0);
      break;
    case OddKind::kSocket: {
      const OwnedFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      REQUIRE(path.size() < sizeof address.sun_path);
      std::memcpy(address.sun_path, path.data(), path.size());
      REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
              0);
      break;
    }
    case OddKind::kFolder:
      fs::create_directory(path);
      break;
    case OddKind::kDevice:
      fs::create_symlink("/dev/null", path);
      break;
    case OddKind::kDangling:
      fs::create_symlink("nothing", path);
      break;
    case OddKind::kLoop:
      fs::create_symlink(fs::path(path).filename(), path);
      break;
  }
}

// Ends the test, if it waits, after a minute.
class Watch {
 public:
  Watch() { ::alarm(60); }
  ~Watch() { ::alarm(0); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

class OddFiles {
 public:
  // All have the same name, in folders of their own.
  explicit OddFiles(std::string_view name = "odd") {
    for (const OddKind kind : OddKinds()) {
      const std::string folder = folder_ / std::to_string(static_cast<int>(kind));
      std::filesystem::create_directory(folder);
      std::string path = folder + "/" + std::string(name);
      MakeOdd(kind, path);
      files_.push_back({kind, std::move(path)});
    }
  }

  const std::vector<OddFile>& all() const { return files_; }

 private:
  const Watch watch_;
  const TemporaryFolder folder_;
  std::vector<OddFile> files_;
};

}  // namespace iprof
