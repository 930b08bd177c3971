#include "writer/io/access_list.h"

#include <fmt/format.h>
#include <sys/xattr.h>

#include <cerrno>

namespace iprof {
namespace {

constexpr const char* kName = "system.posix_acl_access";
constexpr size_t kMostBytes = 1 << 16;  // of any attribute

bool MeansNone(int error) { return error == ENODATA || error == ENOTSUP || error == ENOSYS; }

}  // namespace

AccessList AccessList::Of(int folder, const std::string& name) {
  // There is no getxattrat before Linux 6.13.
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder, name);
  std::string bytes(kMostBytes, '\0');
  const ssize_t size = ::lgetxattr(path.c_str(), kName, bytes.data(), bytes.size());
  if (size <= 0) return {};
  bytes.resize(static_cast<size_t>(size));
  return AccessList(std::move(bytes));
}

bool AccessList::IsOn(int fd) {
  const ssize_t size = ::fgetxattr(fd, kName, nullptr, 0);
  return size < 0 ? !MeansNone(errno) : size > 0;
}

bool AccessList::GiveTo(int fd) const {
  if (!bytes_.empty()) return ::fsetxattr(fd, kName, bytes_.data(), bytes_.size(), 0) == 0;
  return !IsOn(fd) || ::fremovexattr(fd, kName) == 0;
}

}  // namespace iprof
