#include "agent/vm/session/weights_file.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "writer/base/open_file.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/reader.h"

namespace iprof::vm {
namespace {

Status Bad(Code code, std::string_view message) {
  return {code, fmt::format("option 'weights': {}", message)};
}

}  // namespace

Result<std::unique_ptr<const instrument::ProfileWeights>> ReadWeights(const std::string& path,
                                                                      uint64_t most_bytes) {
  const Result<OwnedFd> file = OpenFile(path, O_RDONLY, FileKind::kRegular);
  if (!file.ok()) {
    return Bad(file.status().code(),
               fmt::format("{}: cannot open: {}", path, file.status().message()));
  }
  struct stat facts {};
  if (::fstat(file->get(), &facts) != 0)
    return Bad(Code::kIo, fmt::format("{}: cannot look at: {}", path, std::strerror(errno)));
  if (static_cast<uint64_t>(facts.st_size) > most_bytes) {
    return Bad(Code::kLimit, fmt::format("{} is larger than {} MiB", path, most_bytes >> 20));
  }
  FdSource source(file->get(), path);
  // Compressed or not: in all no more than the limit.
  const auto limited = MakeGunzipSource(source, path, {.free_bytes = most_bytes, .ratio = 1});
  const Result<Profile> profile = ReadProfile(*limited, path);
  if (!profile.ok()) return Bad(profile.status().code(), profile.status().message());
  return std::unique_ptr<const instrument::ProfileWeights>(
      std::make_unique<instrument::ProfileWeights>(*profile));
}

}  // namespace iprof::vm
