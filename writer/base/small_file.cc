#include "writer/base/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace iprof {

std::optional<std::string> ReadSmallFile(const std::string& path, size_t most) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::optional<std::string> text{std::in_place};
  std::array<char, 4096> part;
  while (text->size() < most) {
    const ssize_t count = read(file, part.data(), std::min(part.size(), most - text->size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) text.reset();
    if (count <= 0) break;
    text->append(part.data(), static_cast<size_t>(count));
  }
  close(file);
  return text;
}

}  // namespace iprof
