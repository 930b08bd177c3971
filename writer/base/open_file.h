// OpenFile: the only way in which the agent and the tool open files and folders.
//
// Why: whoever may write into a folder can put a named pipe, a device or a link where we expect a file. A plain open of a pipe
// waits for its other end: the JVM would never end, or never start.
//
//   const Result<OwnedFd> file = OpenFile("app.iprof", O_RDONLY, FileKind::kRegular);
//   // A pipe is at the name, so: "is a named pipe"
//
// Guarantees:
//  - No open waits for another process. Child processes do not inherit the descriptor.
//  - What was opened is of the kind that was asked for. A device is not even opened where it was not asked for, as that alone
//    can have an effect.
//  - A named pipe is taken from our user or root only: anybody else could stop its other end at any time.
// Threads: any.
// Failure: only the reason; the caller adds the name and what it was doing. kIo with the system's errno, or kBadInput for a wrong
// kind, with ENOTDIR, EISDIR, ELOOP or EINVAL in errno. Throws nothing but std::bad_alloc.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "writer/base/status.h"
#include "writer/base/system_calls.h"

namespace iprof {

// A file descriptor that is closed with its owner. It may hold none.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  ~OwnedFd() { Close(); }
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }  // it has another owner now
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

enum class FileKind : uint8_t {
  kRegular,
  kFolder,
  // What a user may name to read from or write to: a regular file, a pipe, a terminal or another character device.
  kStream,
};

// Ok if such a file, which has a name, is of the kind.
Status CheckKind(const struct stat& file, FileKind kind);

// `flags` as for open(2); `mode` is for O_CREAT. Reads and writes of what is no regular file do not wait, but fail with EAGAIN;
// see WaitForWriter. A named pipe without a reader cannot be opened for writing: ENXIO.
Result<OwnedFd> OpenFile(int folder, const std::string& name, int flags, FileKind kind,
                         mode_t mode = 0, SystemCalls& calls = SystemCalls::Real());
Result<OwnedFd> OpenFile(const std::string& path, int flags, FileKind kind);

// Opens a path below a folder as if that folder were the root: a link in a container leads to where it leads for the container.
// Whoever may write there cannot exchange the file between the look at it and the open. Creates nothing. Needs /proc.
Result<OwnedFd> OpenWithin(int root, const std::string& path, int flags, FileKind kind);

// Returns when there is a first byte, or a writer has come and gone. From then on, reads wait.
void WaitForWriter(int fd);

// The names in a folder, without "." and "..", in no order; empty where it cannot be read.
std::vector<std::string> NamesIn(int folder);
std::vector<std::string> NamesIn(const std::string& folder);

// Reads to the end, but at most `limit` bytes; false on an error.
bool ReadAll(int fd, size_t limit, std::string& into);

}  // namespace iprof
