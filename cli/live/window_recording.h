// WindowRecording: one recording of a running program, from loading the agent to the stop, after which the program runs its
// own code again. 'iprof profile' and 'iprof harvest --samples' are made of it.
//
// Guarantees: nothing touches the program before the warm-up is over. An interrupt ends the recording early, and what was
// recorded is handed over. If the program ends earlier, what the agent sends is handed over all the same; if it is
// killed, what its raw file has. Nothing stays in the target's folders but what could not be handed over, and the message
// names that. If this tool is killed, the agent stops by itself a minute after the end of the duration.
// Threads: one, which has HeldSignals as long as the recording lives. Failure: one sentence that names the process.
//
// Example: with a duration of 30 s, `save` is called once, 30 s after the start has been answered, with the profile as the
// agent sends it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/jvm/agent_control.h"
#include "cli/jvm/jvm_target.h"
#include "cli/jvm/private_folder.h"
#include "cli/terminal/console.h"
#include "writer/base/open_file.h"
#include "writer/base/status.h"
#include "writer/control/answer.h"
#include "writer/profile/model.h"

namespace iprof::cli {

struct WindowOrder {
  jvm::AgentAddress address;
  std::string options;  // of the agent, as behind -agentpath; only if it is not loaded yet
  std::string library;  // the agent's
  // An agent that is there already must record samples alone, as `options` say.
  bool only_samples = false;
  std::chrono::milliseconds warmup{0};
  std::chrono::milliseconds duration{0};  // 0: until an interrupt
  jvm::AttachTimeouts timeouts;
  control::Sent form = control::Sent::kPlain;
  // Take over what was recorded: the profile as the agent sends it, or what was read of its files.
  jvm::TakeProfile save;
  std::function<Status(const Profile& recovered)> save_recovered;
};

// What can be refused before anything was done: options that the recording sets itself, and a duration that is too long.
// `command` and `option` are for messages: "iprof profile" and "--duration".
Status CheckWindow(const WindowOrder& order, std::string_view command, std::string_view option);

struct RecordedWindow {
  enum class HowEnded : uint8_t { kByStop, kByItself, kKilled };

  std::chrono::milliseconds recorded{0};  // from the answer to the start on
  HowEnded how = HowEnded::kByStop;
  uint64_t compiled_anew = 0;  // methods, for precise lines
};

class WindowRecording {
 public:
  WindowRecording(WindowOrder order, Console& console)
      : order_(std::move(order)), console_(console) {}

  // Whether an agent that is there already would let it record. Changes nothing; Record asks again.
  Status Check();
  Result<RecordedWindow> Record();
  // The process, once Check or Record was called and has found it.
  const jvm::JvmTarget& target() const { return *target_; }

 private:
  Status CheckFree();
  Status CheckIsSampler(const control::Answer& answer) const;
  Status MakeFolder();
  Status Load();
  Status Start();
  Status TakeBack();
  Result<RecordedWindow> Stop(std::chrono::milliseconds recorded,
                              std::chrono::milliseconds patience = std::chrono::milliseconds(0));
  bool HasEndedSoon() const;
  // `not_stopped`: why the stop failed that was the reason to look; ok: there was none.
  Result<RecordedWindow> SaveLast(std::chrono::milliseconds recorded,
                                  const Status& not_stopped = {});
  Result<RecordedWindow> SaveAgentsFile(const OwnedFd& file, std::chrono::milliseconds recorded);
  Result<RecordedWindow> Recover(const char* file, const OwnedFd& raw,
                                 std::chrono::milliseconds recorded);
  Status KeptIn(const char* file, const Status& why);
  std::string Keep(const char* file);
  Status Elsewhere() const;
  Status NotDone(const control::Answer& answer) const;
  // How long a command may wait in the agent: `patience`, see AgentRequest.
  Result<control::Answer> Ask(control::Wish wish, std::chrono::milliseconds patience = {},
                              const jvm::TakeProfile& take = {},
                              std::unique_ptr<jvm::AgentConnection>* kept = nullptr) const;

  const WindowOrder order_;
  Console& console_;
  std::shared_ptr<jvm::JvmTarget> target_;
  bool has_agent_ = false;                    // one was started in it before
  std::string users_out_;                     // the agent's own file; empty: it has none
  std::string why_no_stop_;                   // when the program ended: the agent's reason
  std::optional<jvm::PrivateFolder> folder_;  // unless the agent has a file of the user
  // Over which the profile of the program's end comes.
  std::unique_ptr<jvm::AgentConnection> window_;
  bool only_end_is_news_ = false;  // nothing else comes over it: the start was answered
};

}  // namespace iprof::cli
