#include "writer/system_calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace iprof {

int SystemCalls::Open(const char* path, int flags, mode_t mode) {
  return ::open(path, flags, mode);
}
ssize_t SystemCalls::Write(int fd, const void* bytes, size_t size) {
  return ::write(fd, bytes, size);
}
int SystemCalls::Fsync(int fd) { return ::fsync(fd); }
int SystemCalls::Close(int fd) { return ::close(fd); }
int SystemCalls::Fchmod(int fd, mode_t mode) { return ::fchmod(fd, mode); }
int SystemCalls::Rename(const char* from, const char* to) { return ::rename(from, to); }
int SystemCalls::Unlink(const char* path) { return ::unlink(path); }
int SystemCalls::Access(const char* path, int mode) { return ::access(path, mode); }
int SystemCalls::Stat(const char* path, struct stat* result) { return ::stat(path, result); }
ssize_t SystemCalls::Readlink(const char* path, char* into, size_t size) {
  return ::readlink(path, into, size);
}
int SystemCalls::Dup(int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, 0); }

SystemCalls& SystemCalls::Real() {
  static SystemCalls real;
  return real;
}

}  // namespace iprof
