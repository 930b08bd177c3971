// The agent's commands: who brings them, and what they do. See agent.h.
#include <fmt/format.h>

#include <utility>

#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/session/agent.h"
#include "agent/vm/session/tools_folder.h"

namespace iprof::vm {
namespace {

using control::Answer;
using control::Command;
using control::kEnding;
using control::Outcome;
using control::Verb;

constexpr std::string_view kForce = "force=always";
constexpr std::string_view kForceHint = "force=always writes it anyway";

Answer AnswerOf(const Command& command, const Status& status, std::string done) {
  Answer answer{std::string(VerbName(command.verb)), Outcome::kDone, std::move(done), {}};
  if (status.ok()) return answer;
  // Usage: the command does not fit the state, and nothing was changed.
  answer.outcome = status.code() == Code::kUsage ? Outcome::kRefused : Outcome::kFailed;
  answer.message = status.message();
  // The agent is loaded, and its options stand.
  const size_t hint = answer.message.find(kForceHint);
  if (hint != std::string::npos)
    answer.message.insert(hint + kForce.size(), ", given when the agent is loaded,");
  return answer;
}

bool IsInFolderThatIsGone(const std::string& path) {
  return control::IsToolsFile(path) && LookAtToolsFolder(path) == ToolsFolder::kIsGone;
}

// `out`: where the recording's profile goes, and where it was wanted. `raw`: the place of the raw file; empty: there
// is none.
Answer StartAnswer(const Command& command, const std::string& wanted,
                   const Result<std::string>& out, const std::string& raw) {
  std::string done = "the recording is running";
  if (out.ok() && *out != wanted)
    done += fmt::format("; another running process writes {}, so this one writes {}", wanted, *out);
  // 'iprof profile' had loaded the agent without out=.
  if (out.ok() && IsInFolderThatIsGone(*out)) {
    const bool has_raw = !raw.empty() && !IsInFolderThatIsGone(raw);
    done += fmt::format(
        "; the agent's own file was in the folder of a tool, which is gone: {}only 'iprof stop' or "
        "'iprof dump' with -o write the profile",
        has_raw ? "" : "there is no raw file, and ");
  }
  return AnswerOf(command, out.status(), std::move(done));
}

}  // namespace

CommandRunner& Agent::Commands(JavaVM* vm) {
  const std::lock_guard lock(mutex_);
  if (commands_ == nullptr) {
    commands_ = CommandRunner::Make(
        vm, [this](JNIEnv* jni, const Command& command) { return Execute(jni, command); },
        [this](const std::string& why) {
          if (const auto current = session()) current->log().Warning(why);
        });
    if (HasEnded()) commands_->Close();
  }
  return *commands_;
}

void Agent::Submit(JavaVM* vm, std::string_view text) { Commands(vm).Submit(text); }

// When the JVM is initialised, or the load has failed.
void Agent::ReleaseCommands() {
  std::shared_ptr<CommandRunner> commands;
  {
    const std::lock_guard lock(mutex_);
    commands = commands_;
  }
  if (commands != nullptr) commands->Release();
}

// Before anything else is begun, because it may fail.
Status Agent::OpenSocket(const Options& options) {
  if (options.control.empty()) return {};
  Result<std::unique_ptr<ControlSocket>> opened = ControlSocket::Open(options.control);
  if (!opened.ok())
    return Status(opened.status().code(), "option 'control': " + opened.status().message());
  const std::lock_guard lock(mutex_);
  socket_ = std::move(*opened);
  return {};
}

// When the session is ready for commands, and the JVM is initialised: a command attaches its thread,
// which crashes the JVM while it has no heap. Commands that came earlier have waited.
Status Agent::ServeSocket() {
  {
    const std::lock_guard lock(mutex_);
    if (socket_ == nullptr) return {};
  }
  const std::shared_ptr<CommandRunner> commands = Commands(vm_).shared_from_this();
  const std::lock_guard lock(mutex_);
  if (socket_ == nullptr) return {};  // the program has ended
  return socket_->Serve(
      [commands](const std::string& line, const std::shared_ptr<ControlClient>& client) {
        commands->Submit(
            line, [client](const Answer& answer) { client->Answer(FormatAnswer(answer) + "\n"); });
      });
}

// Called when the VM is initialised, and at each start: lets time do what the options say.
void Agent::Schedule(const Session& session) {
  const Options& options = session.options();
  Command command;
  if (life_.state() == SessionState::kStopped) {
    if (!options.start || options.delay.ns == 0) return;
    command.verb = Verb::kStart;
    Commands(vm_).Schedule(std::chrono::nanoseconds(options.delay.ns), command);
  } else if (options.duration.ns > 0) {
    StopAfter(std::chrono::nanoseconds(options.duration.ns));
  }
}

// Stops and writes, unless another stop comes first.
void Agent::StopAfter(std::chrono::nanoseconds time) {
  Command command;
  command.verb = Verb::kStop;
  command.out = OutPath();
  Commands(vm_).Schedule(time, command);
}

// The program is ending.
void Agent::CloseCommands() {
  std::shared_ptr<CommandRunner> commands;
  std::unique_ptr<ControlSocket> socket;
  {
    const std::lock_guard lock(mutex_);
    commands = commands_;
    socket = std::move(socket_);
  }
  if (commands != nullptr) commands->Close();
}

// The program's end has overtaken the command, and the JVM refuses what it needs.
void Agent::RefuseAtTheEnd(const Command& command, Answer& answer) const {
  if (const auto current = session())
    current->log().Step(fmt::format("the command '{}' failed at the program's end: {}",
                                    VerbName(command.verb), answer.message));
  if (command.verb == Verb::kStop) {
    // It has ended the recording, so "refused" would be wrong, and what it could not do may have another reason.
    const bool is_overtaken =
        answer.message == kEnding || answer.message == StillWriting().message();
    answer.message =
        is_overtaken ? std::string(kEnding) : fmt::format("{}: {}", kEnding, answer.message);
    return;
  }
  answer.outcome = Outcome::kRefused;
  answer.message = std::string(kEnding);
}

Answer Agent::Execute(JNIEnv* jni, const Command& command) {
  Answer answer;
  switch (command.verb) {
    case Verb::kStart: {
      const auto current = session();
      const std::string wanted =
          command.out.empty() && current != nullptr ? current->out_path() : command.out;
      const Result<std::string> out = Start(jni, command.out);
      answer = StartAnswer(command, wanted, out,
                           out.ok() && current != nullptr ? current->raw_place() : "");
      if (answer.outcome == Outcome::kDone && command.duration.count() > 0)
        StopAfter(command.duration);
      break;
    }
    case Verb::kStop: {
      const bool only_writes = life_.state() == SessionState::kStopped && !command.out.empty();
      Result<std::string> stopped = only_writes
                                        ? Result<std::string>("the recording was stopped before")
                                        : Stop(jni, /*profile_follows=*/!command.out.empty());
      if (stopped.ok() && !command.out.empty()) {
        const Result<std::string> written = Dump(jni, command.out);
        if (!written.ok()) {
          const auto current = session();
          if (!only_writes && current != nullptr)
            AtBoundary(current->log(), "a snapshot", [&] { current->TakeSnapshot(jni); });
          // After a stop, "refused" would be wrong: the recording has changed.
          const Code code = only_writes ? written.status().code() : Code::kIo;
          answer = AnswerOf(command, {code, written.status().message()}, "");
          break;
        }
        *stopped = fmt::format("{}; wrote {}", *stopped, *written);
      }
      answer = AnswerOf(command, stopped.status(), stopped.ok() ? *stopped : "");
      break;
    }
    case Verb::kReset:
      answer = AnswerOf(command, Reset(jni, command.only_samples),
                        command.only_samples ? "the samples so far are forgotten"
                                             : "what was recorded so far is forgotten");
      break;
    case Verb::kDump: {
      const Result<std::string> written = Dump(jni, command.out);
      answer = AnswerOf(command, written.status(),
                        written.ok() ? fmt::format("wrote {}", *written) : "");
      break;
    }
    case Verb::kHarvest: {
      const Result<std::string> written = Harvest(jni, command);
      answer = AnswerOf(command, written.status(), written.ok() ? *written : "");
      break;
    }
    case Verb::kRefresh: {
      const Result<std::string> done = Refresh(jni, command);
      answer = AnswerOf(command, done.status(), done.ok() ? *done : "");
      break;
    }
    case Verb::kSaved:
      answer = AnswerOf(command, NoteSaved(jni, static_cast<uint64_t>(command.recording)),
                        "the profile is in its place");
      break;
    case Verb::kStatus:
      answer = AnswerOf(command, Status(), "");
      break;
  }
  if (answer.outcome == Outcome::kFailed && HasEnded()) RefuseAtTheEnd(command, answer);
  answer.status = Describe();
  return answer;
}

}  // namespace iprof::vm
