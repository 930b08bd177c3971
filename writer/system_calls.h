// SystemCalls: the one seam between AtomicFile and the operating system.
//
// Each method is the call of that name: result and errno as in its manual page. It exists so that a
// test can make each of them fail; SystemCalls::Real() is what everybody else uses. Stateless, so
// usable from any thread.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>

namespace iprof {

class SystemCalls {
 public:
  virtual ~SystemCalls() = default;
  virtual int Open(const char* path, int flags, mode_t mode);
  virtual ssize_t Write(int fd, const void* bytes, size_t size);
  virtual int Fsync(int fd);
  virtual int Close(int fd);
  virtual int Fchmod(int fd, mode_t mode);
  virtual int Rename(const char* from, const char* to);
  virtual int Unlink(const char* path);
  virtual int Access(const char* path, int mode);
  virtual int Stat(const char* path, struct stat* result);
  virtual ssize_t Readlink(const char* path, char* into, size_t size);
  virtual int Dup(int fd);  // not inherited by a program that is started

  static SystemCalls& Real();
};

}  // namespace iprof
