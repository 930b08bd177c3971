#include "cli/jvm/agent_control.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

using std::chrono::milliseconds;

// How long a command may wait in the agent: shorter than the tool waits, so that the agent can still say
// which command it waited for.
milliseconds QueueTime(const AttachTimeouts& timeouts) {
  const milliseconds longest = timeouts.answer * 4 / 5;
  const AttachTimeouts usual;
  const bool is_usual = timeouts.answer == usual.answer && timeouts.listen == usual.listen;
  return is_usual ? std::min(control::kDefaultTimeout, longest) : longest;
}

Status NoAgent(const JvmTarget& target) {
  const pid_t pid = target.process.pid();
  return Status(Code::kUnsupported,
                fmt::format("the agent is not loaded in {}: 'iprof profile {}' or 'iprof attach "
                            "{}' loads it",
                            target.process.Name(), pid, pid));
}

// How long the tool waits for an answer.
class Patience {
 public:
  explicit Patience(milliseconds most) : end_(Clock::now() + most) {}
  // The tool gave up, so the agent may have the command and go on with it.
  bool IsOver() const { return HeldSignals::IsPending() || Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end_;
};

// The same failure, with what the agent may do now. `address` is as in "iprof status ADDRESS".
Status MayGoOn(const Status& failure, const std::string& address, const control::Wish& wish) {
  if (std::holds_alternative<control::Describe>(wish)) return failure;
  const std::string_view verb = VerbName(wish);
  const bool keeps =
      std::holds_alternative<control::Stop>(wish) || std::holds_alternative<control::Dump>(wish);
  const control::ProfileWish* const profile = ProfileOf(wish);
  const std::string rest =
      keeps && profile->sent != control::Sent::kNo
          ? fmt::format(", and keeps what it has recorded: 'iprof {} {} -o FILE' writes it", verb,
                        address)
          : fmt::format(": 'iprof status {}' shows it", address);
  return Status(failure.code(), fmt::format("{}; the agent may still carry out '{}'{}",
                                            failure.message(), verb, rest));
}

Result<std::unique_ptr<AgentConnection>> Connect(const AgentAddress& address,
                                                 const std::shared_ptr<JvmTarget>& target,
                                                 const std::string& library,
                                                 const AttachTimeouts& timeouts) {
  if (target != nullptr && !target->jvm.agent && library.empty()) return NoAgent(*target);
  if (!address.socket.empty()) return AgentConnection::At(address.socket, target, timeouts.answer);
  return AgentConnection::Open(target, library, timeouts);
}

Status NotLoaded(const JvmTarget& target, const control::Answer& answer) {
  const std::string name = target.process.Name();
  if (answer.outcome != control::Outcome::kTaken)
    return Status(Code::kUnsupported, fmt::format("{}: {}", name, answer.message));
  std::string which;
  if (answer.status && answer.status->state != "idle") {
    which = " (" + answer.status->state;
    const std::string& out = answer.status->out;
    if (!out.empty()) which += ", out=" + out;
    which += ")";
  }
  return Status(Code::kIo, fmt::format("{}: {}; 'iprof status {}' shows what it does{}", name,
                                       answer.message, target.process.pid(), which));
}

// The JVM says that the load succeeded, and the agent says nothing.
Status WithoutAnswer(const JvmTarget& target) {
  if (Status lives = target.process.LivesOn(); !lives.ok()) return lives;
  const std::string name = target.process.Name();
  return Status(Code::kIo,
                fmt::format("{} has loaded the library, which gave no answer: the standard error "
                            "of {} may say why, and 'iprof status {}' whether the agent runs",
                            name, name, target.process.pid()));
}

// After a load whose options left no room for an answer.
Result<std::string> AskWhetherItRuns(const JvmConnection& connection) {
  const JvmTarget& target = connection.target();
  const pid_t pid = target.process.pid();
  const Result<control::Answer> answer = SendCommand({pid, {}}, {}, connection.timeouts());
  if (!answer.ok()) return answer.status();
  if (answer->status && answer->status->state == "idle") {
    return Status(Code::kUnsupported,
                  fmt::format("{}: the agent did not start; the standard error of the program says "
                              "why, perhaps only with verbose=1",
                              target.process.Name()));
  }
  return fmt::format(
      "the agent runs. Options of that length leave no room for its answer, so another load may "
      "have come first: 'iprof status {}' shows its out=",
      pid);
}

std::string Joined(const std::string& options, const std::string& more) {
  return options.empty() || more.empty() ? options + more : options + "," + more;
}

}  // namespace

Result<control::Answer> SendCommand(const AgentAddress& address, const AgentRequest& request,
                                    const AttachTimeouts& timeouts, const TakeProfile& take,
                                    std::unique_ptr<AgentConnection>* kept) {
  const HeldSignals held;  // until nothing of this tool is left in the target's folders
  std::shared_ptr<JvmTarget> target;
  if (address.pid != 0) {
    Result<JvmTarget> opened = JvmTarget::Open(address.pid, timeouts.listen);
    if (!opened.ok()) return opened.status();
    target = std::make_shared<JvmTarget>(std::move(*opened));
  }
  Result<std::unique_ptr<AgentConnection>> connection =
      Connect(address, target, request.library, timeouts);
  if (!connection.ok()) return connection.status();
  AgentConnection& agent = **connection;
  if (kept != nullptr) *kept = std::move(*connection);
  const Patience patience(timeouts.answer);
  const control::Command command{
      .wish = request.wish,
      .timeout = request.patience.count() != 0 ? request.patience : QueueTime(timeouts),
      .progress = static_cast<bool>(request.progress)};
  Result<control::Answer> answer = agent.Ask(command, take, request.progress);
  const bool has_ended = target != nullptr && target->process.HasEnded();
  if (answer.ok() || agent.is_not_taken() || has_ended || !patience.IsOver()) return answer;
  return MayGoOn(answer.status(),
                 target != nullptr ? std::to_string(address.pid) : "--control " + address.socket,
                 request.wish);
}

Result<std::string> LoadAgent(JvmConnection& connection, const std::string& library,
                              const std::string& options, const std::string& tools_options) {
  const HeldSignals held;
  const JvmTarget& target = connection.target();
  Result<AgentCall> call = AgentCall::Prepare(connection.shared_target());
  if (!call.ok()) return call.status();
  const std::string reply = "reply=" + call->socket();
  const std::string with_reply = Joined(Joined(options, reply), tools_options);
  // Long options go without it: an attach must not fail because the tool wants to hear more.
  const bool asks = connection.Takes({"load", library, "true", with_reply});
  const Status loaded =
      connection.Load(library, asks ? with_reply : Joined(options, tools_options));
  if (!loaded.ok() && HeldSignals::IsPending()) {
    return Status(loaded.code(),
                  fmt::format("interrupted; {} may still load the agent: 'iprof list' shows it",
                              target.process.Name()));
  }
  const Result<std::unique_ptr<AgentConnection>> agent =
      call->Accept(milliseconds(0), connection.timeouts().answer);
  if (agent.ok() && *agent != nullptr) {
    const Status greeted = (*agent)->HearGreeting();
    const Result<control::Answer> answer =
        greeted.ok() ? (*agent)->HearAnswer({}) : Result<control::Answer>(greeted);
    if (answer.ok() && answer->outcome != control::Outcome::kDone)
      return NotLoaded(target, *answer);
    if (!loaded.ok()) return loaded;
    return answer.ok() ? Result<std::string>(answer->message) : answer.status();
  }
  if (!loaded.ok()) return loaded;
  return asks ? WithoutAnswer(target) : AskWhetherItRuns(connection);
}

}  // namespace iprof::jvm
