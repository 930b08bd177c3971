// What of the recording is in the user's files, and where the rest goes. See agent.h.
//
// A profile in a tool's private folder is not in its place: the tool may fail to save it, or be killed. So it counts as
// written only when the tool has said "saved". Until then the raw file stays, and the program's end writes the profile.
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
  // Nobody takes what goes to a tool that is gone.
  const bool is_orphan = control::IsToolsFile(own) && !control::IsToolsFile(sessions) &&
                         LookAtToolsFolder(own) != ToolsFolder::kHasItsTool;
  return is_orphan ? sessions : own;
}

bool Agent::IsRecordingsFile(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return path == recording_out_.path();
}

std::vector<std::string> Agent::LastPaths(const Session& session) const {
  std::vector<std::string> paths{OutPath()};
  if (!control::IsToolsFile(paths.front())) return paths;
  const std::string sessions = session.out_path();
  // The tool may end before it has saved anything: the end of a container's first process ends all others.
  if (!control::IsToolsFile(sessions)) paths.push_back(sessions);
  return paths;
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

bool Agent::WriteLastFiles(JNIEnv* jni, Session& session) {
  Log& log = session.log();
  const std::vector<std::string> paths = LastPaths(session);
  const bool has_users_file = !control::IsToolsFile(paths.back());
  if (!has_users_file && handed_ == recording_ &&
      LookAtToolsFolder(paths.back()) == ToolsFolder::kIsGone) {
    log.Warning(
        "no profile was written: the agent's own file was in the folder of a tool, which is gone; "
        "a tool took a profile after the stop, and did not say whether it has saved it");
    return true;
  }
  bool is_written = false;
  for (const std::string& path : paths) {
    const Result<std::string> written = session.DumpTo(jni, path, NameOwner::kSession);
    is_written = written.ok() || written.status().code() == Code::kUsage;
    if (!written.ok() && is_written) {  // usage: there is nothing to write
      session.DiscardRaw(jni);
      return true;
    }
    if (written.ok() && control::IsToolsFile(path) &&
        LookAtToolsFolder(path) == ToolsFolder::kIsLeft) {
      log.Warning(*written +
                  " is the profile, because the tool that recorded is gone; a later 'iprof' "
                  "command removes it when it is an hour old");
    }
  }
  // One in the tool's own folder goes with the folder.
  const bool is_all_there = has_users_file || session.options().keep_raw;
  if (is_written && is_all_there) session.DiscardRaw(jni);
  return is_written;
}

}  // namespace iprof::vm
