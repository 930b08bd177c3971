#include "cli/jvm/agent_connection.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/jvm/control_socket.h"
#include "cli/jvm/doorbell.h"
#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

using control::Kind;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// An agent that was rung for connects at once.
constexpr milliseconds kRingPatience{5'000};

// What comes so soon is taken also after an interrupt.
constexpr milliseconds kGrace{1'000};

// The same wait, which ends when the time is up or the user interrupts, also while the agent sends without a pause.
template <typename Wait>
control::Channel::Wait InTime(Wait wait, milliseconds most) {
  return [wait = std::move(wait), most, start = Clock::now()](int fd, short events) mutable {
    const auto waited = Clock::now() - start;
    if (waited > kGrace && (waited >= most || HeldSignals::IsPending())) return wait.Pause();
    return wait.For(fd, events);
  };
}

Status DidNotCome(const JvmTarget& target) {
  if (Status lives = target.process.LivesOn(); !lives.ok()) return lives;
  return Status(Code::kUnsupported,
                fmt::format("{}: the agent did not take the command: the program is ending, or the "
                            "agent has stopped working or is of another release than this tool",
                            target.process.Name()));
}

Status NoFolder(const JvmTarget& target, const Status& why) {
  return Status(why.code(), fmt::format("cannot make a folder in the /tmp of {}: {}",
                                        target.process.Name(), why.message()));
}

}  // namespace

AgentConnection::AgentConnection(OwnedFd socket, std::shared_ptr<JvmTarget> target,
                                 std::string control, milliseconds most)
    : target_(std::move(target)),
      control_(std::move(control)),
      most_(most),
      channel_(std::move(socket), {}) {
  WaitAnew();
}

void AgentConnection::WaitAnew() {
  channel_.WaitBy(target_ != nullptr ? InTime(TargetWait(target_->process, most_), most_)
                                     : InTime(SocketWait(control_, most_), most_));
}

Result<std::unique_ptr<AgentConnection>> AgentConnection::At(const std::string& socket,
                                                             std::shared_ptr<JvmTarget> target,
                                                             milliseconds most) {
  Result<OwnedFd> connected = ConnectAt(socket, most);
  if (!connected.ok()) return connected.status();
  return std::unique_ptr<AgentConnection>(
      new AgentConnection(std::move(*connected), std::move(target), socket, most));
}

Result<std::unique_ptr<AgentConnection>> AgentConnection::Open(std::shared_ptr<JvmTarget> target,
                                                               const std::string& library,
                                                               const AttachTimeouts& timeouts) {
  const std::string control = target->jvm.control;
  const auto by_control = [&]() -> Result<std::unique_ptr<AgentConnection>> {
    Result<OwnedFd> connected = ConnectIn(*target, control, timeouts.answer);
    if (!connected.ok()) return connected.status();
    return std::unique_ptr<AgentConnection>(
        new AgentConnection(std::move(*connected), target, control, timeouts.answer));
  };
  if (target->jvm.attach_disabled && !control.empty()) return by_control();
  Result<AgentCall> call = AgentCall::Prepare(target);
  if (!call.ok()) return control.empty() ? call.status() : by_control();
  Result<JvmConnection> jvm = JvmConnection::Open(target, timeouts);
  if (!jvm.ok()) return jvm.status();
  const std::string text = control::CallTo(call->socket());
  milliseconds patience{0};  // the agent connects before the load returns
  if (!target->jvm.agent) {
    if (Status loaded = jvm->Load(library, text); !loaded.ok()) return loaded;
  } else {
    const std::string& path = target->jvm.agent->path;
    const Result<Answer> said = jvm->Request({"load", path, "true", text});
    if (!said.ok()) return said.status();
    if (ForbidsLoading(*said)) {
      if (!control.empty()) return by_control();
      if (Status rung = Ring(*jvm, text, timeouts.answer); !rung.ok()) return rung;
      patience = std::min(kRingPatience, timeouts.answer);
    } else if (Status verdict = JudgeLoad(*said, path); !verdict.ok()) {
      // The JVM may not connect to the tool's socket (SELinux, another namespace of users): no command was given.
      if (!control.empty()) return by_control();
      return Status(verdict.code(),
                    fmt::format("{}: {}", target->process.Name(), verdict.message()));
    }
  }
  Result<std::unique_ptr<AgentConnection>> came = call->Accept(patience, timeouts.answer);
  if (came.ok() && *came == nullptr) return DidNotCome(*target);
  return came;
}

Status AgentConnection::HearGreeting() {
  const Status heard = channel_.HearGreeting(control::Peer::kAgent).status();
  return heard.ok() ? heard : About(heard);
}

Result<control::Answer> AgentConnection::Ask(const control::Command& command,
                                             const TakeProfile& take, const HearProgress& hear) {
  channel_.OnProgress(hear);
  Result<control::Answer> answer = AskAndHear(command, take);
  channel_.OnProgress({});
  return answer;
}

Result<control::Answer> AgentConnection::AskAndHear(const control::Command& command,
                                                    const TakeProfile& take) {
  const Status said = channel_.Say(control::FormatGreeting(FormatCommand(command)));
  // Of a connection that is closed already, what the agent said before that is the reason.
  if (!said.ok() && said.code() != Code::kNothingYet) return About(said);
  if (Status heard = HearGreeting(); !heard.ok()) return heard;
  return HearRest(take);
}

Result<control::Answer> AgentConnection::HearAnswer(const TakeProfile& take) {
  WaitAnew();
  return HearRest(take);
}

Result<control::Answer> AgentConnection::HearRest(const TakeProfile& take) {
  for (;;) {
    Result<control::Message> message = channel_.Hear();
    if (!message.ok()) return About(message.status());
    if (message->kind == Kind::kAnswer) return Parsed(message->payload);
    if (message->kind == Kind::kSaved) continue;
    return Take(std::move(*message), take);
  }
}

Result<control::Answer> AgentConnection::Take(control::Message first, const TakeProfile& take) {
  has_profile_ = true;
  WaitAnew();  // as long as for the answer
  control::ProfileSource source(channel_, std::move(first));
  Status taken =
      take ? take(source) : Status(Code::kInternal, "the agent has sent a profile unasked");
  char rest[4096];
  while (taken.ok() && !source.is_whole()) taken = source.Read(rest, sizeof rest).status();
  if (source.other()) {
    return source.other()->kind == Kind::kAnswer
               ? Parsed(source.other()->payload)
               : About({Code::kBadInput, "the agent's answer is damaged"});
  }
  if (!source.failure().ok()) return About(source.failure());
  is_not_taken_ = !taken.ok();
  if (is_not_taken_) return taken;
  const Status said = channel_.Send(Kind::kSaved);
  if (!said.ok()) return About(said);
  return HearAnswer({});
}

Result<control::Answer> AgentConnection::Parsed(const std::string& json) const {
  Result<control::Answer> answer = control::ParseAnswer(json);
  return answer.ok() ? answer : About(answer.status());
}

// With the name of the process or the socket. A connection that is closed may mean that the target has ended.
Status AgentConnection::About(const Status& failure) const {
  const bool is_closed = failure.code() == Code::kNothingYet;
  if (is_closed && target_ != nullptr) {
    if (Status lives = target_->process.LivesOn(); !lives.ok()) return lives;
  }
  if (is_closed && !control_.empty()) {
    return SocketWait(control_, most_)
        .Failed(
            "it was closed without an answer: the JVM has ended, its agent could not start, or it "
            "takes no commands of this user");
  }
  const std::string who =
      target_ != nullptr ? target_->process.Name() : "control socket " + control_;
  if (is_closed) {
    return Status(Code::kIo, fmt::format("{}: the agent closed the connection without an answer: "
                                         "the program is ending, or the agent has failed",
                                         who));
  }
  // A wait that failed names them already.
  const bool is_named = failure.message().find(who) != std::string::npos;
  return is_named ? failure : Status(failure.code(), fmt::format("{}: {}", who, failure.message()));
}

Result<AgentCall> AgentCall::Prepare(std::shared_ptr<JvmTarget> target) {
  Result<PrivateFolder> folder = PrivateFolder::Make(*target);
  if (!folder.ok()) return NoFolder(*target, folder.status());
  Result<OwnedFd> listener = folder->Listen(kName);
  if (!listener.ok()) return NoFolder(*target, listener.status());
  return AgentCall(std::move(target), std::move(*folder), std::move(*listener));
}

Result<std::unique_ptr<AgentConnection>> AgentCall::Accept(milliseconds patience,
                                                           milliseconds most) {
  TargetWait wait(target_->process, patience);
  // What others have put into the queue is soon out of it, unless they go on.
  TargetWait others(target_->process, std::max(patience, kGrace));
  for (;;) {
    OwnedFd accepted(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (accepted.is_open()) {
      const auto peer = control::PeerOf(accepted.get());
      if (peer && peer->pid == target_->process.pid())
        return std::unique_ptr<AgentConnection>(
            new AgentConnection(std::move(accepted), target_, "", most));
      accepted.Close();
      const Status waited = others.Pause();
      if (waited.ok()) continue;
      if (HeldSignals::IsPending() || target_->process.HasEnded()) return waited;
      return std::unique_ptr<AgentConnection>();
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno != EAGAIN)
      return Status(Code::kIo, fmt::format("cannot hear {}: {}", target_->process.Name(),
                                           std::strerror(errno)));
    if (patience.count() == 0 || wait.left().count() == 0)
      return std::unique_ptr<AgentConnection>();
    const Status waited = wait.For(listener_.get(), POLLIN);
    if (!waited.ok() && (HeldSignals::IsPending() || target_->process.HasEnded())) return waited;
  }
}

}  // namespace iprof::jvm
