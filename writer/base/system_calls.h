// SystemCalls: the one seam between the operating system and those that make files: FilePlace and
// AtomicFile.
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
  virtual int Openat(int folder, const char* name, int flags, mode_t mode);
  virtual int OpenPath(int folder, const char* name, int flags);  // openat with O_PATH among flags
  virtual ssize_t Write(int fd, const void* bytes, size_t size);
  virtual int Fsync(int fd);
  virtual int Close(int fd);
  virtual int Fchmod(int fd, mode_t mode);
  virtual int Renameat(int folder, const char* from, const char* to);  // within the folder
  virtual int Unlinkat(int folder, const char* name);
  virtual int Mkdirat(int folder, const char* name, mode_t mode);
  virtual int Faccessat(int folder, const char* name, int mode);
  virtual int Fstatat(int folder, const char* name, struct stat* result, int flags);
  virtual ssize_t Readlinkat(int folder, const char* name, char* into, size_t size);
  virtual int Dup(int fd);  // not inherited by a program that is started

  static SystemCalls& Real();
};

}  // namespace iprof
