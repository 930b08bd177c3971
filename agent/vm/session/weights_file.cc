#include "agent/vm/session/weights_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "writer/io/byte_stream.h"
#include "writer/io/reader.h"

namespace iprof::vm {
namespace {

Status Bad(Code code, std::string_view message) {
  return {code, fmt::format("option 'weights': {}", message)};
}

class OpenFile {
 public:
  // Without waiting for the writer of a pipe, which is refused later.
  explicit OpenFile(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

Result<std::unique_ptr<const instrument::ProfileWeights>> ReadWeights(const std::string& path,
                                                                      uint64_t most_bytes) {
  const OpenFile file(path);
  if (file.fd() < 0)
    return Bad(Code::kIo, fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  struct stat facts {};
  if (::fstat(file.fd(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return Bad(Code::kBadInput, path + " is not a file");
  if (static_cast<uint64_t>(facts.st_size) > most_bytes) {
    return Bad(Code::kLimit, fmt::format("{} is larger than {} MiB", path, most_bytes >> 20));
  }
  FdSource source(file.fd(), path);
  // Compressed or not: in all no more than the limit.
  const auto limited = MakeGunzipSource(source, path, {.free_bytes = most_bytes, .ratio = 1});
  const Result<Profile> profile = ReadProfile(*limited, path);
  if (!profile.ok()) return Bad(profile.status().code(), profile.status().message());
  return std::unique_ptr<const instrument::ProfileWeights>(
      std::make_unique<instrument::ProfileWeights>(*profile));
}

}  // namespace iprof::vm
