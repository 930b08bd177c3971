#include "agent/vm/session/tools_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace iprof::vm {

ToolsFolder LookAtToolsFolder(const std::string& file) {
  const std::string folder = file.substr(0, file.rfind('/'));
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    // Any other failure, such as too many open files, does not tell.
    const bool is_gone = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
    return is_gone ? ToolsFolder::kIsGone : ToolsFolder::kHasItsTool;
  }
  // Shared, so that two looks at once do not take each other for the tool.
  const bool is_free = flock(fd, LOCK_SH | LOCK_NB) == 0;
  close(fd);  // and the lock is gone
  return is_free ? ToolsFolder::kIsLeft : ToolsFolder::kHasItsTool;
}

}  // namespace iprof::vm
