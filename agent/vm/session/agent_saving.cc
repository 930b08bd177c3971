// What of the recording is in the user's files, and where the rest goes. See agent.h.
//
// A profile in a tool's private folder is not in its place: the tool may fail to save it, or be killed. So it counts as
// written only when the tool has said "saved". Until then the raw file stays, and the program's end writes the profile.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/lock_within.h"
#include "agent/vm/session/agent.h"
#include "agent/vm/session/tools_folder.h"

namespace iprof::vm {

std::string Agent::OutPath() const {
  const std::lock_guard lock(mutex_);
  const std::string& own = recording_out_.path();
  if (session_ == nullptr) return own;
  std::string sessions = session_->out_path();
  if (own.empty()) return sessions;
  // A tool that is gone cannot save the profile.
  const bool is_orphan = control::IsToolsFile(own) && !control::IsToolsFile(sessions) &&
                         LookAtToolsFolder(own) != ToolsFolder::kHasItsTool;
  return is_orphan ? sessions : own;
}

bool Agent::IsRecordingsFile(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return path == recording_out_.path();
}

std::vector<std::string> Agent::LastPaths(const Session& session) const {
  const std::string own = OutPath();
  const std::string sessions = session.out_path();
  if (!control::IsToolsFile(own) || control::IsToolsFile(sessions)) return {own};
  // The tool may end before it has saved anything: the end of a container's first process ends all others.
  return {sessions, own};
}

void Agent::NoteWritten(uint64_t recording) {
  const std::lock_guard lock(mutex_);
  written_ = recording;
  if (recording_ == recording) recording_out_ = {};
}

Status Agent::NoteSaved(JNIEnv* jni, uint64_t recording) {
  // A dump that another thread writes needs the raw file until its end.
  const std::unique_lock lock = LockWithin(dump_mutex_, kPatience);
  if (!lock) return StillWriting();
  const auto current = session();
  if (current == nullptr || life_.state() != SessionState::kStopped || recording != recording_)
    return {Code::kUsage, "that recording is not the last one, or goes on"};
  NoteWritten(recording);
  AtBoundary(current->log(), "the raw file's end", [&] { current->DiscardRaw(jni); });
  return {};
}

// The tool removes the raw file when it has saved the profile: it may be killed before.
void Agent::LeaveRawTo(const std::string& tools_file, Session& session) {
  const std::string raw = session.raw_file();
  if (raw.empty() || control::IsToolsFile(raw)) return;  // it goes with the folder
  const std::string link = tools_file.substr(0, tools_file.rfind('/') + 1) + control::kRawOfLast;
  if (symlink(raw.c_str(), link.c_str()) != 0)
    session.log().Warning(
        fmt::format("the raw file '{}' stays, because its tool cannot be told of it: {}", raw,
                    std::strerror(errno)));
}

bool Agent::WriteLastFiles(JNIEnv* jni, Session& session) {
  Log& log = session.log();
  const std::vector<std::string> paths = LastPaths(session);
  const bool has_users_file = !control::IsToolsFile(paths.front());
  if (!has_users_file && handed_ == recording_ &&
      LookAtToolsFolder(paths.front()) == ToolsFolder::kIsGone) {
    log.Warning(
        "no profile was written: the agent's own file was in the folder of a tool, which is gone; "
        "a tool took a profile after the stop, and did not say whether it has saved it");
    return false;
  }
  const std::vector<Result<std::string>> written = session.DumpTo(jni, paths);
  const Result<std::string>& first = written.front();
  if (!first.ok() && first.status().code() == Code::kUsage) {  // there is nothing to write
    session.DiscardRaw(jni);
    return true;
  }
  const Result<std::string>& last = written.back();
  const bool is_tools = last.ok() && control::IsToolsFile(*last);
  const bool has_tool = is_tools && LookAtToolsFolder(*last) == ToolsFolder::kHasItsTool;
  if (is_tools && !has_tool) {
    log.Warning(*last +
                " is the profile, because the tool that recorded is gone; a later 'iprof' "
                "command removes it when it is an hour old");
  }
  if (!first.ok()) return false;
  if (has_users_file || session.options().keep_raw) {
    session.DiscardRaw(jni);
  } else if (has_tool) {
    LeaveRawTo(*last, session);
  } else {
    const std::string raw = session.raw_file();
    if (!raw.empty() && !control::IsToolsFile(raw)) session.KeepRaw(jni);
  }
  return true;
}

}  // namespace iprof::vm
