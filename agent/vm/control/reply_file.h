// ReplyFile: a file through which the agent answers a tool.
//
// The tool has made a private folder and waits until the file appears in it.
//
// Guarantees: the file appears complete or not at all, with mode 0600. An existing file is never
// changed, and no symbolic link is followed. The folder must belong to this process's user, and no
// other may write to it: otherwise anybody who can load the agent could have files created anywhere.
// Threads: any. Failure: a Status that names the path; nothing is left of the file. It is no failure if the
// folder is gone: the tool has given up and waits no longer.
#pragma once

#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::vm {

// `path` is absolute.
Status WriteReply(const std::string& path, std::string_view text);

}  // namespace iprof::vm
