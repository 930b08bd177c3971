// What the commands for a session share: how the agent is reached, and where a profile goes.
//
// Guarantees: as cli/terminal/command.h. Threads: one. Failure: a usage error, or one sentence.
#pragma once

#include <sys/types.h>

#include <string>

#include "cli/jvm/agent_control.h"
#include "cli/terminal/option_list.h"
#include "writer/control/command.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof::cli {

// PID and --control FILE. CheckAddress: at least one of them must be given.
void AddAddress(OptionList& options, jvm::AgentAddress& address);
Status CheckAddress(const jvm::AgentAddress& address);

// "process 4711", or the socket.
std::string NameOf(const jvm::AgentAddress& address);

// Copies the profile, so that the file is there whole or not at all. It is for our user only, unless it replaces one of
// our user's.
Status SaveProfile(ByteSource& profile, const std::string& path);
// Why a profile could not be saved, and how to get it all the same: the agent keeps what it has recorded.
Status NotSaved(const Status& why, pid_t jvm);

// Compressed if the file's name says so.
control::Sent FormOf(const std::string& path);

}  // namespace iprof::cli
