#include "agent/vm/control/command_runner.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <utility>

#include "agent/vm/control/reply_file.h"
#include "agent/vm/jvmti/attached_thread.h"

namespace iprof::vm {
namespace {

using control::Answer;
using control::Command;
using control::Outcome;

Answer Refusal(const Command& command, std::string message) {
  return {std::string(VerbName(command.verb)), Outcome::kRefused, std::move(message), {}};
}

}  // namespace

CommandRunner::CommandRunner(JavaVM* vm, Execute execute, Undelivered undelivered)
    : vm_(vm), execute_(std::move(execute)), undelivered_(std::move(undelivered)) {}

std::shared_ptr<CommandRunner> CommandRunner::Make(JavaVM* vm, Execute execute,
                                                   Undelivered undelivered) {
  return std::shared_ptr<CommandRunner>(
      new CommandRunner(vm, std::move(execute), std::move(undelivered)));
}

void CommandRunner::Submit(std::string_view text, Deliver deliver) {
  const Result<Command> command = control::ParseCommand(text);
  if (!command.ok()) return deliver({"", Outcome::kRefused, command.status().message(), {}});
  Start(*command, std::move(deliver));
}

void CommandRunner::Submit(std::string_view text) {
  const Result<Command> command = control::ParseCommand(text);
  if (!command.ok()) return undelivered_(command.status().message());
  Start(*command,
        [this, path = command->reply](const Answer& answer) { DeliverToFile(path, answer); });
}

void CommandRunner::DeliverToFile(const std::string& path, const Answer& answer) const {
  if (path.empty()) {
    if (answer.outcome != Outcome::kDone)
      undelivered_(
          fmt::format("the command '{}' was not carried out: {}", answer.command, answer.message));
    return;
  }
  const Status written = WriteReply(path, FormatAnswer(answer));
  if (!written.ok()) undelivered_(written.message());
}

void CommandRunner::Start(const Command& command, Deliver deliver, uint64_t schedule) {
  auto place = std::make_shared<CommandQueue::Place>(queue_, VerbName(command.verb),
                                                     schedule != 0 ? CommandQueue::Entry::kAlways
                                                     : command.verb == control::Verb::kStatus
                                                         ? CommandQueue::Entry::kAsks
                                                         : CommandQueue::Entry::kLimited);
  // Both the thread and the failure below may have to deliver.
  auto shared = std::make_shared<Deliver>(std::move(deliver));
  const Status started = StartAttachedThread(
      vm_, "iprof-command",
      [self = shared_from_this(), command, place = std::move(place), shared,
       schedule](JNIEnv* jni) mutable {
        const Answer answer = self->Run(jni, command, *place, schedule);
        place.reset();  // before the answer, so that the next command finds nothing running
        (*shared)(answer);
      });
  if (!started.ok()) (*shared)(Refusal(command, started.message()));
}

Answer CommandRunner::Run(JNIEnv* jni, const Command& command, CommandQueue::Place& place,
                          uint64_t schedule) {
  if (jni == nullptr) {
    // kUsage: the queue is closed, because the program is ending.
    const Status closed = place.Wait({});
    return Refusal(command, closed.code() == Code::kUsage ? closed.message()
                                                          : "the JVM takes no more threads");
  }
  const Status waited = place.Wait(command.timeout);
  if (!waited.ok()) return Refusal(command, waited.message());
  // A command that ran before this one may have begun another recording. Whoever cancels or replaces a
  // schedule has the turn, so from here on the answer stands.
  if (schedule != 0 && !IsCurrent(schedule)) {
    return {std::string(VerbName(command.verb)), Outcome::kDone, "another command came first", {}};
  }
  try {
    return execute_(jni, command);
  } catch (const std::exception& error) {
    return {std::string(VerbName(command.verb)), Outcome::kFailed, error.what(), {}};
  } catch (...) {
    return {std::string(VerbName(command.verb)), Outcome::kFailed, "unknown exception", {}};
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
        self->Start(
            patient, [self](const Answer& answer) { self->DeliverToFile("", answer); }, schedule);
      });
  if (!started.ok())
    undelivered_(fmt::format("the recording will not {} by itself: {}", VerbName(command.verb),
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
