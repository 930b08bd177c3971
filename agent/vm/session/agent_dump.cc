// Profiles of the agent: where each goes, and when the raw file may go. See agent.h.
//
// A profile that was sent to a caller is not in its place yet: the caller may fail to save it, or be killed. So it counts as
// written only when the caller has said so. Until then the raw file stays, and the program's end writes the profile.
#include <fmt/core.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/lock_within.h"
#include "agent/vm/session/agent.h"

namespace iprof::vm {
namespace {

// Passes a profile on until it is over: a slow tool must not keep the program's end waiting.
class SinkUntil final : public ByteSink {
 public:
  SinkUntil(ByteSink& to, const std::function<bool()>& is_over) : to_(to), is_over_(is_over) {}
  Status Write(std::string_view bytes) override {
    if (is_over_ && is_over_()) return {Code::kUsage, std::string(control::kEnding)};
    return to_.Write(bytes);
  }
  Status Finish() override { return to_.Finish(); }

 private:
  ByteSink& to_;
  const std::function<bool()>& is_over_;
};

}  // namespace

std::string Agent::OutPath() const {
  const std::lock_guard lock(mutex_);
  const std::string& own = recording_out_.path();
  return !own.empty() || session_ == nullptr ? own : session_->out_path();
}

void Agent::SetWindow(std::shared_ptr<Caller> window, bool wants_gzip) {
  const std::lock_guard lock(mutex_);
  window_.swap(window);
  window_wants_gzip_ = wants_gzip;
}

std::shared_ptr<Caller> Agent::TakeWindow() {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Caller> window = std::exchange(window_, nullptr);
  return window != nullptr && window->IsThere() ? window : nullptr;
}

Result<std::string> Agent::Dump(JNIEnv* jni, const control::ProfileWish& wish, Caller* caller,
                                std::chrono::milliseconds patience) {
  const bool sends = wish.sent != control::Sent::kNo;
  if (sends && caller == nullptr) return Status(Code::kUsage, "no tool takes the profile");
  std::unique_lock lock = LockWithin(dump_mutex_, patience);
  if (!lock) return StillWriting();
  // The program or the recording may have ended while this thread waited.
  const LifeCycle::Taken taken = life_.Take(SessionEvent::kDump);
  if (!taken.is_legal) return Status(Code::kUsage, std::string(taken.answer));
  const auto current = session();
  if (current == nullptr || !current->has_begun())
    return Status(Code::kUsage, "nothing has been recorded yet");
  const uint64_t recording = recording_;
  const Status unmade(Code::kInternal, "the profile could not be made");
  Session::Written written{.file = unmade, .sent = unmade};
  AtBoundary(current->log(), "the dump", [&] {
    const std::string out = OutPath();
    ProfilePlace place;
    // The end waits for this profile, and then writes its own.
    std::function<bool()> is_over;
    if (current->options().dump_on_exit) is_over = [this] { return HasEnded(); };
    std::optional<SinkUntil> sink;
    if (sends) {
      place.sink = &sink.emplace(caller->profile(), is_over);
      place.gzip = wish.sent == control::Sent::kGzip;
    } else {
      const bool is_ours = wish.out.empty() || wish.out == out;
      place.path = is_ours ? out : wish.out;
      place.owner = is_ours ? NameOwner::kSession : NameOwner::kNobody;
    }
    written = current->DumpTo(jni, place, is_over);
  });
  const Status& outcome = sends ? written.sent : written.file;
  if (!outcome.ok()) return outcome;
  const bool is_all = taken.from == SessionState::kStopped;
  if (!sends) {
    if (is_all) NoteWritten(jni, *current, recording);
    return "wrote " + written.path;
  }
  lock.unlock();
  if (!caller->HasSaved()) {
    current->log().Step("the tool has not saved the profile, so what was recorded is kept");
    return Status(Code::kIo, "the tool has not saved the profile");
  }
  if (is_all) NoteSaved(jni, *current, recording);
  return std::string();
}

void Agent::NoteWritten(JNIEnv* jni, Session& session, uint64_t recording) {
  std::shared_ptr<Caller> window;  // is closed without the lock
  {
    const std::lock_guard lock(mutex_);
    written_ = recording;
    if (recording_ == recording) {
      recording_out_ = {};
      own_is_users_ = false;
      window = std::exchange(window_, nullptr);
    }
  }
  AtBoundary(session.log(), "the raw file's end", [&] { session.DiscardRaw(jni); });
}

void Agent::NoteSaved(JNIEnv* jni, Session& session, uint64_t recording) {
  // A dump that another thread writes needs the raw file until its end.
  const std::unique_lock lock = LockWithin(dump_mutex_, kPatience);
  if (lock && life_.state() == SessionState::kStopped && recording == recording_)
    NoteWritten(jni, session, recording);
}

bool Agent::WriteLastProfile(JNIEnv* jni, Session& session) {
  const std::shared_ptr<Caller> window = TakeWindow();
  ProfilePlace place;
  // The tool may end before it has saved anything: the end of a container's first process ends all others. So the
  // user's file comes first, and without a tool, that in its folder is better than none.
  if (HasUsersFile(session) || window == nullptr) place.path = OutPath();
  if (window != nullptr) {
    place.sink = &window->profile();
    place.gzip = window_wants_gzip_;
  }
  Session::Written written = session.DumpTo(jni, place);
  const bool is_nothing = written.file.code() == Code::kUsage;
  bool is_in_file = !place.path.empty() && written.file.ok();
  const bool is_saved = window != nullptr && written.sent.ok() && window->HasSaved();
  if (window != nullptr) {
    const bool is_done = written.sent.ok();
    window->Answer({"stop",
                    is_done ? control::Outcome::kDone : control::Outcome::kFailed,
                    is_done ? "" : written.sent.message(),
                    {},
                    control::ProgramEnd::kBesides});
  }
  if (!is_in_file && !is_saved && !is_nothing) {
    const bool is_kept = session.KeepRaw(jni);
    if (is_kept || !place.path.empty()) return false;
    // There is no raw file, so the folder of the tool is the last place.
    written = session.DumpTo(jni, {.path = OutPath()});
    is_in_file = written.file.ok();
  }
  const bool is_temporary = is_in_file && !is_saved && !HasUsersFile(session);
  if (is_temporary)
    session.log().Warning(
        fmt::format("{} is the profile, because the agent has no file of yours; a later 'iprof' "
                    "command removes it when it is an hour old",
                    written.path));
  if (is_temporary && session.HasUsersRaw()) {
    session.KeepRaw(jni);
  } else if (is_in_file || is_saved || is_nothing) {
    session.DiscardRaw(jni);
  }
  return is_in_file || is_saved || is_nothing;
}

}  // namespace iprof::vm
