#include "writer/profile/io/access_list.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

#include "writer/base/open_file.h"

namespace iprof {
namespace {

constexpr const char* kName = "system.posix_acl_access";
constexpr size_t kMostBytes = 1 << 16;  // of any attribute

bool MeansNone(int error) { return error == ENODATA || error == ENOTSUP || error == ENOSYS; }

}  // namespace

// There is no getxattrat before Linux 6.13. Where /proc is hidden, a file that can be read will do.
AccessList AccessList::Of(int folder, const std::string& name, const struct stat& expected) {
  const AccessList unknown(false, {});
  for (const int way : {O_PATH, O_RDONLY}) {
    const Result<OwnedFd> file = OpenFile(folder, name, way | O_NOFOLLOW, FileKind::kRegular);
    struct stat opened {};
    if (!file.ok() || ::fstat(file->get(), &opened) != 0 || opened.st_dev != expected.st_dev ||
        opened.st_ino != expected.st_ino)
      return unknown;
    const std::string path = fmt::format("/proc/self/fd/{}", file->get());
    std::string bytes(kMostBytes, '\0');
    const ssize_t size = way == O_PATH
                             ? ::getxattr(path.c_str(), kName, bytes.data(), bytes.size())
                             : ::fgetxattr(file->get(), kName, bytes.data(), bytes.size());
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
