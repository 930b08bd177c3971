// CommandRunner: takes commands from all sides, runs them in order, and gives their answers back.
//
// Each command has a short-lived thread of its own, on which it waits for its turn and runs. So a tool
// that attaches never waits for the command before, and after the last command no thread is left.
//
// Guarantees: commands run one at a time, in order of arrival. Each gets exactly one answer, unless the
// JVM ends before. A command that waits longer than its timeout is refused with the name of the one
// that runs. Exceptions become answers.
// Threads: any. `execute` runs on a thread that is attached to the JVM. Threads keep the runner alive;
// what the functions refer to must outlive the last command.
// Failure: what cannot be run is answered with the reason. Of a command that no caller gave, the reason is given to
// `unheard`.
#pragma once

#include <jni.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "agent/vm/session/control/caller.h"
#include "agent/vm/session/control/command_queue.h"
#include "writer/control/answer.h"
#include "writer/control/command.h"

namespace iprof::vm {

class CommandRunner : public std::enable_shared_from_this<CommandRunner> {
 public:
  // The caller is null for a command that the agent gives itself.
  using Execute = std::function<control::Answer(JNIEnv*, const control::Command&,
                                                const std::shared_ptr<Caller>&)>;
  using Unheard = std::function<void(const std::string& why)>;

  static std::shared_ptr<CommandRunner> Make(JavaVM* vm, Execute execute, Unheard unheard);
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  // From now on commands wait for Release, each for as long as its timeout.
  void Hold() { queue_.Hold(); }
  void Release() { queue_.Release(); }

  // Takes the text of a command. If it is not valid, answers with the reason at once.
  void Submit(std::string_view text, const std::shared_ptr<Caller>& caller);

  // Runs the command in a while, unless Cancel or another Schedule comes before it has its turn. It is not
  // refused because it waits long or because many wait: no client would send it again.
  void Schedule(std::chrono::nanoseconds after, const control::Command& command);
  void Cancel();

  // The program is ending: the commands that wait are refused.
  void Close();

 private:
  CommandRunner(JavaVM* vm, Execute execute, Unheard unheard);
  // `schedule`: the command runs only if this is still the number of the schedule; 0: always.
  void Start(const control::Command& command, const std::shared_ptr<Caller>& caller,
             uint64_t schedule = 0);
  control::Answer Run(JNIEnv* jni, const control::Command& command,
                      const std::shared_ptr<Caller>& caller, CommandQueue::Place& place,
                      uint64_t schedule);
  void Deliver(const control::Answer& answer, Caller* caller) const;
  bool Sleep(std::chrono::nanoseconds time, uint64_t schedule);
  bool IsCurrent(uint64_t schedule);

  JavaVM* const vm_;
  const Execute execute_;
  const Unheard unheard_;
  CommandQueue queue_;
  std::mutex mutex_;  // guards schedule_
  std::condition_variable changed_;
  uint64_t schedule_ = 0;  // grows with each Schedule and Cancel
};

}  // namespace iprof::vm
