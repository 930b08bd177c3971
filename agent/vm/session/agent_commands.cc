// The agent's commands: who brings them, and what they do. See agent.h.
#include <fmt/core.h>

#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/session/agent.h"

namespace iprof::vm {
namespace {

using control::Answer;
using control::Command;
using control::kEnding;
using control::Outcome;
using control::ProgramEnd;
using control::Wish;

constexpr std::string_view kForce = "force=always";
constexpr std::string_view kForceHint = "force=always writes it anyway";

// A harvest or a refresh has loaded the library, or the agent could not start.
constexpr std::string_view kIdleText =
    "the agent's library is loaded, and the agent was not started: 'iprof profile' or 'iprof "
    "attach' starts it";

Answer AnswerOf(const Wish& wish, const Status& status, std::string done) {
  Answer answer{std::string(VerbName(wish)), Outcome::kDone, std::move(done)};
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

bool NeedsAgent(const Wish& wish) {
  return !std::holds_alternative<control::Harvest>(wish) &&
         !std::holds_alternative<control::Refresh>(wish);
}

// `profile`: what the agent wrote, as Dump says it.
std::string WithProfile(std::string done, const std::string& profile) {
  return profile.empty() ? done : fmt::format("{}; {}", done, profile);
}

}  // namespace

CommandRunner& Agent::Commands(JavaVM* vm) {
  const std::lock_guard lock(mutex_);
  if (commands_ == nullptr) {
    commands_ = CommandRunner::Make(
        vm,
        [this](JNIEnv* jni, const Command& command, const std::shared_ptr<Caller>& caller) {
          return Execute(jni, command, caller);
        },
        [this](const std::string& why) {
          if (const auto current = session()) current->log().Warning(why);
        });
    if (HasEnded()) commands_->Close();
  }
  return *commands_;
}

Status Agent::HearCall(JavaVM* vm, const std::string& socket) {
  Result<std::shared_ptr<ToolConnection>> tool =
      ToolConnection::To(socket, [this] { return HasEnded(); });
  if (!tool.ok()) return tool.status();
  // The tool speaks when the load that calls has returned.
  return StartNativeThread("iprof-call",
                           [commands = Commands(vm).shared_from_this(), tool = std::move(*tool)] {
                             const Result<std::string> command = tool->HearCommand();
                             if (command.ok()) commands->Submit(*command, tool);
                           });
}

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
      [commands](const std::string& line, const std::shared_ptr<ToolConnection>& tool) {
        const Result<std::string> command = tool->Greet(line);
        if (command.ok()) commands->Submit(*command, tool);
      },
      [this] { return HasEnded(); });
}

// Called when the VM is initialised, and at each start: lets time do what the options say.
void Agent::Schedule(const Session& session) {
  const Options& options = session.options();
  if (life_.state() == SessionState::kStopped) {
    if (!options.start || options.delay.ns == 0) return;
    Commands(vm_).Schedule(std::chrono::nanoseconds(options.delay.ns), {control::Start()});
  } else if (options.duration.ns > 0) {
    StopAfter(std::chrono::nanoseconds(options.duration.ns));
  }
}

// Stops and writes, unless another stop comes first.
void Agent::StopAfter(std::chrono::nanoseconds time) {
  Commands(vm_).Schedule(time, {control::Stop{{.out = OutPath()}}});
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
void Agent::RefuseAtTheEnd(const Wish& wish, Answer& answer) const {
  if (const auto current = session())
    current->log().Step(fmt::format("the command '{}' failed at the program's end: {}",
                                    VerbName(wish), answer.message));
  answer.end = ProgramEnd::kOvertook;
  if (!std::holds_alternative<control::Stop>(wish)) {
    answer.outcome = Outcome::kRefused;
  } else if (answer.message != kEnding && answer.message != StillWriting().message()) {
    // It has ended the recording, so "refused" would be wrong, and what it could not do has another reason.
    answer.message = fmt::format("{}: {}", kEnding, answer.message);
    answer.end = ProgramEnd::kBesides;
    return;
  }
  answer.message = std::string(kEnding);
}

// 'iprof profile' had loaded the agent without out=, and is gone.
std::string Agent::WhyNoFile(const control::Start& wish) const {
  const auto current = session();
  if (current == nullptr || !current->options().out_is_tools || !wish.out.empty() ||
      wish.window != control::Sent::kNo)
    return "";
  return fmt::format(
      "; the agent's own file was in the folder of a tool, which is gone: {}only 'iprof stop' or "
      "'iprof dump' with -o write the profile",
      current->HasUsersRaw() ? "" : "there is no raw file, and ");
}

Answer Agent::CarryOut(JNIEnv* jni, const control::Start& wish,
                       const std::shared_ptr<Caller>& caller) {
  const auto current = session();
  const std::string wanted =
      !wish.out.empty() || current == nullptr ? wish.out : current->out_path();
  const Result<std::string> out = Start(jni, wish, caller);
  std::string done = "the recording is running";
  const bool is_moved = !wish.folder.empty() && wish.out.empty();
  if (out.ok() && *out != wanted && !is_moved)
    done += fmt::format("; another running process writes {}, so this one writes {}", wanted, *out);
  if (out.ok() && wish.duration.count() > 0) StopAfter(wish.duration);
  return AnswerOf(wish, out.status(), done + WhyNoFile(wish));
}

Answer Agent::CarryOut(JNIEnv* jni, const control::Stop& wish,
                       const std::shared_ptr<Caller>& caller) {
  const bool writes = !wish.out.empty() || wish.sent != control::Sent::kNo;
  const bool only_writes = life_.state() == SessionState::kStopped && writes;
  const Result<std::string> stopped =
      only_writes ? Result<std::string>("the recording was stopped before") : Stop(jni, writes);
  if (!stopped.ok() || !writes)
    return AnswerOf(wish, stopped.status(), stopped.ok() ? *stopped : "");
  const Result<std::string> written = Dump(jni, wish, caller.get());
  if (written.ok()) return AnswerOf(wish, {}, WithProfile(*stopped, *written));
  const auto current = session();
  if (!only_writes && current != nullptr)
    AtBoundary(current->log(), "a snapshot", [&] { current->TakeSnapshot(jni); });
  // After a stop, "refused" would be wrong: the recording has changed.
  const Code code = only_writes ? written.status().code() : Code::kIo;
  return AnswerOf(wish, {code, written.status().message()}, "");
}

Answer Agent::CarryOut(JNIEnv* jni, const Wish& wish, const std::shared_ptr<Caller>& caller) {
  const auto answer = [&](const Result<std::string>& done) {
    return AnswerOf(wish, done.status(), done.ok() ? *done : "");
  };
  if (const auto* const start = std::get_if<control::Start>(&wish))
    return CarryOut(jni, *start, caller);
  if (const auto* const stop = std::get_if<control::Stop>(&wish))
    return CarryOut(jni, *stop, caller);
  if (const auto* const dump = std::get_if<control::Dump>(&wish))
    return answer(Dump(jni, *dump, caller.get()));
  if (const auto* const harvest = std::get_if<control::Harvest>(&wish))
    return answer(Harvest(jni, *harvest, caller.get()));
  if (const auto* const refresh = std::get_if<control::Refresh>(&wish))
    return answer(Refresh(jni, *refresh));
  if (const auto* const reset = std::get_if<control::Reset>(&wish)) {
    const bool only_samples = reset->only == control::Forgotten::kSamples;
    return AnswerOf(wish, Reset(jni, only_samples),
                    only_samples ? "the samples so far are forgotten"
                                 : "what was recorded so far is forgotten");
  }
  return AnswerOf(wish, Status(), "");
}

Answer Agent::Execute(JNIEnv* jni, const Command& command, const std::shared_ptr<Caller>& caller) {
  const Wish& wish = command.wish;
  const auto current = session();
  std::optional<Steps::Hearing> hearing;
  if (command.progress && caller != nullptr && current != nullptr)
    hearing.emplace(current->steps(), [&](const control::Progress& it) { caller->Report(it); });
  Answer answer = state() == SessionState::kIdle && NeedsAgent(wish)
                      ? AnswerOf(wish, {Code::kUsage, std::string(kIdleText)}, "")
                      : CarryOut(jni, wish, caller);
  hearing.reset();  // the answer is the last that the tool hears
  if (answer.outcome == Outcome::kFailed && HasEnded()) RefuseAtTheEnd(wish, answer);
  if (answer.outcome == Outcome::kRefused && HasEnded()) answer.end = ProgramEnd::kOvertook;
  answer.status = Describe();
  return answer;
}

}  // namespace iprof::vm
