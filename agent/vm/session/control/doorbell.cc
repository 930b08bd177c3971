#include "agent/vm/session/control/doorbell.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/base/open_file.h"
#include "writer/control/command.h"

namespace iprof::vm {

std::string DoorbellPath() { return fmt::format("/tmp/.iprof_command{}", getpid()); }

std::optional<std::string> TakeDoorbell(const std::string& path) {
  const Result<OwnedFd> file = OpenFile(path, O_RDONLY | O_NOFOLLOW, FileKind::kRegular);
  if (!file.ok()) return std::nullopt;
  std::optional<std::string> text;
  struct stat found {};
  if (fstat(file->get(), &found) == 0 && found.st_uid == geteuid() &&
      (found.st_mode & (S_IRWXG | S_IRWXO)) == 0 && found.st_nlink == 1 &&
      found.st_size <= static_cast<off_t>(control::kLongestCommand) && unlink(path.c_str()) == 0) {
    ReadAll(file->get(), static_cast<size_t>(found.st_size), text.emplace());
    while (!text->empty() && text->back() == '\n') text->pop_back();
  }
  return text;
}

}  // namespace iprof::vm
