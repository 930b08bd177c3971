#include "writer/base/small_file.h"

#include "writer/base/open_file.h"

namespace iprof {

std::optional<std::string> ReadSmallFile(const std::string& path, size_t most) {
  const Result<OwnedFd> file = OpenFile(path, O_RDONLY, FileKind::kRegular);
  std::string text;
  if (!file.ok() || !ReadAll(file->get(), most, text)) return std::nullopt;
  return text;
}

}  // namespace iprof
