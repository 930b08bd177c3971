#include "cli/target_bytes.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/jvm/target_wait.h"

namespace iprof::cli {

TargetBytes::TargetBytes(const OwnedFd& file, std::string name, std::chrono::milliseconds most)
    : file_(file), name_(std::move(name)), most_(most) {
  struct stat facts {};
  if (fstat(file_.get(), &facts) == 0) end_ = facts.st_size;
}

Result<size_t> TargetBytes::Read(char* into, size_t size) {
  const auto waited = Clock::now() - start_;
  if (waited >= most_) {
    return Status(Code::kIo, fmt::format("cannot read all of {} within {} (--timeout)", name_,
                                         jvm::InSeconds(most_)));
  }
  if (waited > std::chrono::seconds(1) && jvm::HeldSignals::IsPending())
    return Status(Code::kIo, fmt::format("interrupted while reading {}", name_));
  const size_t wanted = std::min(size, static_cast<size_t>(end_ - at_));
  while (true) {
    const ssize_t count = pread(file_.get(), into, wanted, at_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return Status(Code::kIo, fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
    at_ += count;
    return static_cast<size_t>(count);
  }
}

}  // namespace iprof::cli
