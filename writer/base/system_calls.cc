#include "writer/base/system_calls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

namespace iprof {

int SystemCalls::Openat(int folder, const char* name, int flags, mode_t mode) {
  return ::openat(folder, name, flags, mode);
}
int SystemCalls::OpenPath(int folder, const char* name, int flags) {
  return ::openat(folder, name, flags);
}
ssize_t SystemCalls::Write(int fd, const void* bytes, size_t size) {
  return ::write(fd, bytes, size);
}
ssize_t SystemCalls::Pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  return ::pwrite(fd, bytes, size, offset);
}
int SystemCalls::Fsync(int fd) { return ::fsync(fd); }
int SystemCalls::Close(int fd) { return ::close(fd); }
int SystemCalls::Fchmod(int fd, mode_t mode) { return ::fchmod(fd, mode); }
int SystemCalls::Renameat(int folder, const char* from, const char* to) {
  return ::renameat(folder, from, folder, to);
}
int SystemCalls::Unlinkat(int folder, const char* name) { return ::unlinkat(folder, name, 0); }
int SystemCalls::Mkdirat(int folder, const char* name, mode_t mode) {
  return ::mkdirat(folder, name, mode);
}
int SystemCalls::Faccessat(int folder, const char* name, int mode) {
  return ::faccessat(folder, name, mode, 0);
}
int SystemCalls::Fstatat(int folder, const char* name, struct stat* result, int flags) {
  return ::fstatat(folder, name, result, flags);
}
ssize_t SystemCalls::Readlinkat(int folder, const char* name, char* into, size_t size) {
  return ::readlinkat(folder, name, into, size);
}
int SystemCalls::Flock(int fd, int operation) { return ::flock(fd, operation); }
int SystemCalls::Dup(int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, 0); }

int SystemCalls::Poll(int fd, short events, int most_ms) {
  pollfd polled{fd, events, 0};
  return ::poll(&polled, 1, most_ms);
}

// glibc has the function since 2.25.
ssize_t SystemCalls::Getrandom(void* into, size_t size, unsigned flags) {
  return ::syscall(SYS_getrandom, into, size, flags);
}

SystemCalls& SystemCalls::Real() {
  static SystemCalls real;
  return real;
}

}  // namespace iprof
