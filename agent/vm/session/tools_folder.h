// ToolsFolder: what became of the private folder of a tool (writer/control/command.h, IsToolsFile), in which a profile
// waits for the tool to take it.
//
// A tool holds a lock on its folder while it lives (cli/jvm/private_folder.h), also if it is in another container.
//
// Threads: any. Failure: where the system does not tell whether the folder is there or locked, its tool counts as alive.
#pragma once

#include <cstdint>
#include <string>

namespace iprof::vm {

enum class ToolsFolder : uint8_t {
  kIsGone,      // no profile can be written there
  kIsLeft,      // its tool is gone, and a later one removes it when it is an hour old
  kHasItsTool,  // which takes what is written there
};

// `file`: the path of a file in the folder.
ToolsFolder LookAtToolsFolder(const std::string& file);

}  // namespace iprof::vm
