#include "agent/hotspot/file_memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace iprof::hotspot {

std::unique_ptr<FileMemory> FileMemory::Open(const std::string& path) {
  Result<OwnedFd> file = OpenFile(path, O_RDONLY, FileKind::kRegular);
  return file.ok() ? Of(std::move(*file)) : nullptr;
}

std::unique_ptr<FileMemory> FileMemory::Of(OwnedFd file) {
  struct stat found {};
  if (!file.is_open() || fstat(file.get(), &found) != 0) return nullptr;
  return std::unique_ptr<FileMemory>(
      new FileMemory(std::move(file), static_cast<uint64_t>(found.st_size), found.st_mtime));
}

bool FileMemory::Read(Address from, void* into, size_t size) const {
  if (from > size_ || size > size_ - from) return false;
  auto* to = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = pread(file_.get(), to, size, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    from += static_cast<Address>(got);
    size -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace iprof::hotspot
