#include "agent/hotspot/file_memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace iprof::hotspot {

std::unique_ptr<FileMemory> FileMemory::Open(const std::string& path) {
  return Of(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

std::unique_ptr<FileMemory> FileMemory::Of(int fd) {
  if (fd < 0) return nullptr;
  struct stat found {};
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
    close(fd);
    errno = S_ISDIR(found.st_mode) ? EISDIR : EINVAL;
    return nullptr;
  }
  return std::unique_ptr<FileMemory>(
      new FileMemory(fd, static_cast<uint64_t>(found.st_size), found.st_mtime));
}

FileMemory::~FileMemory() { close(fd_); }

bool FileMemory::Read(Address from, void* into, size_t size) const {
  if (from > size_ || size > size_ - from) return false;
  auto* to = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = pread(fd_, to, size, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    from += static_cast<Address>(got);
    size -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace iprof::hotspot
