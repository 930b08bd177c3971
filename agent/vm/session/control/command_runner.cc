#include "agent/vm/session/control/command_runner.h"

#include <fmt/core.h>

#include <exception>
#include <memory>
#include <utility>
#include <variant>

#include "agent/vm/jvmti/attached_thread.h"

namespace iprof::vm {
namespace {

using control::Answer;
using control::Command;
using control::Outcome;

Answer AnswerTo(const Command& command, Outcome outcome, std::string message) {
  return {std::string(VerbName(command.wish)), outcome, std::move(message)};
}

Answer Refusal(const Command& command, std::string message) {
  return AnswerTo(command, Outcome::kRefused, std::move(message));
}

}  // namespace

CommandRunner::CommandRunner(JavaVM* vm, Execute execute, Unheard unheard)
    : vm_(vm), execute_(std::move(execute)), unheard_(std::move(unheard)) {}

std::shared_ptr<CommandRunner> CommandRunner::Make(JavaVM* vm, Execute execute, Unheard unheard) {
  return std::shared_ptr<CommandRunner>(
      new CommandRunner(vm, std::move(execute), std::move(unheard)));
}

void CommandRunner::Submit(std::string_view text, const std::shared_ptr<Caller>& caller) {
  const Result<Command> command = control::ParseCommand(text);
  if (!command.ok())
    return Deliver({"", Outcome::kRefused, command.status().message()}, caller.get());
  Start(*command, caller);
}

void CommandRunner::Deliver(const Answer& answer, Caller* caller) const {
  if (caller != nullptr) return caller->Answer(answer);
  if (answer.outcome != Outcome::kDone)
    unheard_(
        fmt::format("the command '{}' was not carried out: {}", answer.command, answer.message));
}

void CommandRunner::Start(const Command& command, const std::shared_ptr<Caller>& caller,
                          uint64_t schedule) {
  const bool asks = std::holds_alternative<control::Describe>(command.wish);
  auto place = std::make_shared<CommandQueue::Place>(queue_, VerbName(command.wish),
                                                     schedule != 0 ? CommandQueue::Entry::kAlways
                                                     : asks        ? CommandQueue::Entry::kAsks
                                                                   : CommandQueue::Entry::kLimited);
  const Status started = StartAttachedThread(
      vm_, "iprof-command",
      [self = shared_from_this(), command, place = std::move(place), caller,
       schedule](JNIEnv* jni) mutable {
        const Answer answer = self->Run(jni, command, caller, *place, schedule);
        place.reset();  // before the answer, so that the next command finds nothing running
        self->Deliver(answer, caller.get());
      });
  if (!started.ok()) Deliver(Refusal(command, started.message()), caller.get());
}

Answer CommandRunner::Run(JNIEnv* jni, const Command& command,
                          const std::shared_ptr<Caller>& caller, CommandQueue::Place& place,
                          uint64_t schedule) {
  const Status waited = place.Wait(jni == nullptr ? std::chrono::milliseconds(0) : command.timeout);
  if (waited.code() == Code::kUsage) {  // the queue is closed
    Answer answer = Refusal(command, std::string(control::kEnding));
    answer.end = control::ProgramEnd::kOvertook;
    return answer;
  }
  if (jni == nullptr) return Refusal(command, "the JVM takes no more threads");
  if (!waited.ok()) return Refusal(command, waited.message());
  // A command that ran before this one may have begun another recording. Whoever cancels or replaces a
  // schedule has the turn, so from here on the answer stands.
  if (schedule != 0 && !IsCurrent(schedule))
    return AnswerTo(command, Outcome::kDone, "another command came first");
  try {
    return execute_(jni, command, caller);
  } catch (const std::exception& error) {
    return AnswerTo(command, Outcome::kFailed, error.what());
  } catch (...) {
    return AnswerTo(command, Outcome::kFailed, "unknown exception");
  }
}

bool CommandRunner::IsCurrent(uint64_t schedule) {
  const std::lock_guard lock(mutex_);
  return schedule_ == schedule;
}

bool CommandRunner::Sleep(std::chrono::nanoseconds time, uint64_t schedule) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [&] { return schedule_ != schedule; });
}

void CommandRunner::Schedule(std::chrono::nanoseconds after, const Command& command) {
  uint64_t schedule = 0;
  {
    const std::lock_guard lock(mutex_);
    schedule = ++schedule_;
    changed_.notify_all();
  }
  Command patient = command;
  patient.timeout = control::kLongestTime;
  const Status started =
      StartNativeThread("iprof-timer", [self = shared_from_this(), after, schedule, patient] {
        if (!self->Sleep(after, schedule)) return;
        self->Start(patient, nullptr, schedule);
      });
  if (!started.ok())
    unheard_(fmt::format("the recording will not {} by itself: {}", VerbName(command.wish),
                         started.message()));
}

void CommandRunner::Cancel() {
  const std::lock_guard lock(mutex_);
  ++schedule_;
  changed_.notify_all();
}

void CommandRunner::Close() {
  Cancel();
  queue_.Close();
}

}  // namespace iprof::vm
