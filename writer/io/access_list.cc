#include "writer/io/access_list.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

namespace iprof {
namespace {

constexpr const char* kName = "system.posix_acl_access";
constexpr size_t kMostBytes = 1 << 16;  // of any attribute

bool MeansNone(int error) { return error == ENODATA || error == ENOTSUP || error == ENOSYS; }

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

// There is no getxattrat before Linux 6.13. Where /proc is hidden, a file that can be read will do.
AccessList AccessList::Of(int folder, const std::string& name, const struct stat& expected) {
  const AccessList unknown(false, {});
  for (const int way : {O_PATH, O_RDONLY | O_NONBLOCK | O_NOCTTY}) {
    const OpenFile file(::openat(folder, name.c_str(), way | O_NOFOLLOW | O_CLOEXEC));
    struct stat opened {};
    if (file.fd() < 0 || ::fstat(file.fd(), &opened) != 0 || opened.st_dev != expected.st_dev ||
        opened.st_ino != expected.st_ino)
      return unknown;
    const std::string path = fmt::format("/proc/self/fd/{}", file.fd());
    std::string bytes(kMostBytes, '\0');
    const ssize_t size = way == O_PATH ? ::getxattr(path.c_str(), kName, bytes.data(), bytes.size())
                                       : ::fgetxattr(file.fd(), kName, bytes.data(), bytes.size());
    if (size < 0 && !MeansNone(errno)) continue;
    bytes.resize(size < 0 ? 0 : static_cast<size_t>(size));
    return {true, std::move(bytes)};
  }
  return unknown;
}

bool AccessList::IsOn(int fd) {
  const ssize_t size = ::fgetxattr(fd, kName, nullptr, 0);
  return size < 0 ? !MeansNone(errno) : size > 0;
}

bool AccessList::GiveTo(int fd) const {
  if (!bytes_.empty()) return ::fsetxattr(fd, kName, bytes_.data(), bytes_.size(), 0) == 0;
  const bool has_none = !IsOn(fd) || ::fremovexattr(fd, kName) == 0;
  return is_known_ && has_none;
}

}  // namespace iprof
