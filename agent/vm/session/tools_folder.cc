#include "agent/vm/session/tools_folder.h"

#include <sys/file.h>

#include <cerrno>

#include "writer/base/open_file.h"

namespace iprof::vm {

ToolsFolder LookAtToolsFolder(const std::string& file) {
  const std::string folder = file.substr(0, file.rfind('/'));
  const Result<OwnedFd> opened = OpenFile(folder, O_RDONLY | O_NOFOLLOW, FileKind::kFolder);
  if (!opened.ok()) {
    // Any other failure, such as too many open files, does not tell.
    const bool is_gone = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
    return is_gone ? ToolsFolder::kIsGone : ToolsFolder::kHasItsTool;
  }
  // Shared, so that two looks at once do not take each other for the tool.
  const bool is_free = flock(opened->get(), LOCK_SH | LOCK_NB) == 0;
  return is_free ? ToolsFolder::kIsLeft : ToolsFolder::kHasItsTool;
}

}  // namespace iprof::vm
