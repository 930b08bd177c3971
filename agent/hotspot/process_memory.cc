#include "agent/hotspot/process_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "writer/base/open_file.h"

namespace iprof::hotspot {
namespace {

// Linux's smallest page size. Mappings start and end at multiples of it.
constexpr Address kPageBytes = 4096;

// How many of these bytes are on the first page.
size_t OnFirstPage(Address from, size_t size) {
  return static_cast<size_t>(std::min<Address>(size, kPageBytes - from % kPageBytes));
}

// Reading nothing succeeds for any process, unless the call itself is not allowed.
bool MayCall(pid_t pid) { return process_vm_readv(pid, nullptr, 0, nullptr, 0, 0) == 0; }

int OpenMemoryFile(pid_t pid) {
  const std::string who = pid == getpid() ? "self" : std::to_string(pid);
  Result<OwnedFd> file = OpenFile("/proc/" + who + "/mem", O_RDONLY, FileKind::kRegular);
  return file.ok() ? file->Release() : -1;
}

}  // namespace

ProcessMemory::ProcessMemory(pid_t pid)
    : pid_(pid), file_(MayCall(pid) ? -1 : OpenMemoryFile(pid)) {}

ProcessMemory::~ProcessMemory() {
  if (file_ >= 0) close(file_);
}

ssize_t ProcessMemory::ReadSome(Address from, void* into, size_t size) const {
  if (file_ >= 0) return pread(file_, into, size, static_cast<off_t>(from));
  const iovec local{into, size};
  const iovec remote{reinterpret_cast<void*>(static_cast<uintptr_t>(from)), size};
  return process_vm_readv(pid_, &local, 1, &remote, 1, 0);
}

bool ProcessMemory::Read(Address from, void* into, size_t size) const {
  if (from > UINT64_MAX - size) return false;
  auto* to = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t read = ReadSome(from, to, size);
    if (read <= 0) return false;
    to += read;
    from += static_cast<Address>(read);
    size -= static_cast<size_t>(read);
  }
  return true;
}

std::optional<std::string> ProcessMemory::Text(Address from, size_t most) const {
  std::string text;
  std::array<char, kPageBytes> part;
  while (text.size() <= most && from <= UINT64_MAX - kPageBytes) {
    const size_t size = OnFirstPage(from, std::min<size_t>(part.size(), most + 1 - text.size()));
    if (!Read(from, part.data(), size)) return std::nullopt;
    if (const auto* end = static_cast<const char*>(std::memchr(part.data(), 0, size))) {
      text.append(part.data(), static_cast<size_t>(end - part.data()));
      return text;
    }
    text.append(part.data(), size);
    from += size;
  }
  return std::nullopt;
}

Status ProcessMemory::Check(Address at) const {
  char byte = 0;
  const ssize_t read = ReadSome(at, &byte, 1);
  if (read == 1) return {};
  const int error = read == 0 ? ESRCH : errno;  // the file of a process that has ended is empty
  const std::string who = "process " + std::to_string(pid_);
  if (error == ESRCH) return {Code::kIo, "there is no " + who};
  if (error == EPERM) {
    return {Code::kIo,
            "cannot read the memory of " + who +
                ": that needs the same user with kernel.yama.ptrace_scope=0, or CAP_SYS_PTRACE"};
  }
  return {Code::kIo, "cannot read the memory of " + who + ": " + std::strerror(error)};
}

}  // namespace iprof::hotspot
