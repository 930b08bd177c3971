#include "agent/vm/control/doorbell.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "writer/control/command.h"

namespace iprof::vm {

std::string DoorbellPath() { return fmt::format("/tmp/.iprof_command{}", getpid()); }

std::optional<std::string> TakeDoorbell(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::optional<std::string> text;
  struct stat found {};
  if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
      (found.st_mode & (S_IRWXG | S_IRWXO)) == 0 && found.st_nlink == 1 &&
      found.st_size <= static_cast<off_t>(control::kLongestCommand) && unlink(path.c_str()) == 0) {
    text.emplace(static_cast<size_t>(found.st_size), '\0');
    size_t size = 0;
    while (size < text->size()) {
      const ssize_t got = read(file, text->data() + size, text->size() - size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      size += static_cast<size_t>(got);
    }
    text->resize(size);
    while (!text->empty() && text->back() == '\n') text->pop_back();
  }
  close(file);
  return text;
}

}  // namespace iprof::vm
