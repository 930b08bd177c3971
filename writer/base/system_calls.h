// SystemCalls: the system calls of OpenFile, of the classes that create files (FilePlace, AtomicFile,
// LockFile, RawWriter), and of RunId.
//
// Each method makes the system call of the same name, with the result and errno that its manual
// page documents. The class exists so that a test can make each call fail; all other code uses
// SystemCalls::Real().
//
// Guarantees: no state, and nothing besides the system call.
// Threads: any. Failure: the result and errno of the system call.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>

namespace iprof {

class SystemCalls {
 public:
  virtual ~SystemCalls() = default;
  virtual int Openat(int folder, const char* name, int flags, mode_t mode);
  virtual int OpenPath(int folder, const char* name, int flags);  // openat with O_PATH in flags
  virtual ssize_t Write(int fd, const void* bytes, size_t size);
  virtual ssize_t Pwrite(int fd, const void* bytes, size_t size, off_t offset);
  virtual int Fsync(int fd);
  virtual int Close(int fd);
  virtual int Fchmod(int fd, mode_t mode);
  virtual int Renameat(int folder, const char* from, const char* to);  // within the folder
  virtual int Unlinkat(int folder, const char* name);
  virtual int Mkdirat(int folder, const char* name, mode_t mode);
  virtual int Faccessat(int folder, const char* name, int mode);
  virtual int Fstatat(int folder, const char* name, struct stat* result, int flags);
  virtual ssize_t Readlinkat(int folder, const char* name, char* into, size_t size);
  virtual int Flock(int fd, int operation);
  virtual int Dup(int fd);                              // child processes do not inherit it
  virtual int Poll(int fd, short events, int most_ms);  // of one descriptor; -1: just waits
  virtual ssize_t Getrandom(void* into, size_t size, unsigned flags);

  static SystemCalls& Real();
};

}  // namespace iprof
