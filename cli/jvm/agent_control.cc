#include "cli/jvm/agent_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cli/jvm/attach_protocol.h"
#include "cli/jvm/control_socket.h"
#include "cli/jvm/doorbell.h"
#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

using control::Command;
using std::chrono::milliseconds;

constexpr char kAnswerFile[] = "answer";
constexpr milliseconds kPatienceWhenSaved{10'000};

const char* FileOf(ProfileForm form) {
  return form == ProfileForm::kGzip ? "profile.iprof.gz" : "profile.iprof";
}

// How long a command may wait in the agent: shorter than the tool waits, so that the agent can still say
// which command it waited for.
milliseconds QueueTime(const AttachTimeouts& timeouts) {
  const milliseconds longest = timeouts.answer * 4 / 5;
  const AttachTimeouts usual;
  const bool is_usual = timeouts.answer == usual.answer && timeouts.listen == usual.listen;
  return is_usual ? std::min(control::kDefaultTimeout, longest) : longest;
}

Result<control::Answer> Parsed(const Result<std::string>& json, const std::string& who) {
  if (!json.ok()) return json.status();
  Result<control::Answer> answer = control::ParseAnswer(*json);
  if (answer.ok()) return answer;
  return Status(answer.status().code(), fmt::format("{}: {}", who, answer.status().message()));
}

// The same of a target's answer. A JVM that is killed while its agent answers leaves a part of it.
Result<control::Answer> ParsedOf(const JvmTarget& target, const Result<std::string>& json,
                                 const std::string& who) {
  Result<control::Answer> answer = Parsed(json, who);
  if (!json.ok() || answer.ok()) return answer;
  Status lives = target.process.LivesOn();
  return lives.ok() ? answer : lives;
}

Status NoAgent(const JvmTarget& target) {
  const pid_t pid = target.process.pid();
  return Status(Code::kUnsupported,
                fmt::format("the agent is not loaded in {}: 'iprof profile {}' or 'iprof attach "
                            "{}' loads it",
                            target.process.Name(), pid, pid));
}

Result<control::Answer> ReadAnswer(const JvmTarget& target, const PrivateFolder& folder) {
  std::string json;
  if (!ReadAll(folder.OpenFile(kAnswerFile).get(), control::kLongestAnswer + 1, json)) {
    return Status(Code::kIo, fmt::format("cannot read the answer of {}", target.process.Name()));
  }
  return ParsedOf(target, json, target.process.Name());
}

// The answer that the agent writes into the folder.
Result<control::Answer> AwaitAnswer(const JvmTarget& target, const PrivateFolder& folder,
                                    milliseconds most) {
  TargetWait wait(target.process, most);
  Status going_on;
  for (;;) {
    if (folder.OpenFile(kAnswerFile).is_open()) return ReadAnswer(target, folder);
    if (!going_on.ok()) return going_on;
    // Before the next look, so that an answer is found that was written just before the end.
    going_on = wait.Pause();
  }
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
Status MayGoOn(const Status& failure, const std::string& address, const Command& command,
               PrivateFolder* folder) {
  if (command.verb == control::Verb::kStatus) return failure;
  const std::string_view verb = VerbName(command.verb);
  std::string message =
      fmt::format("{}; the agent may still carry out '{}'", failure.message(), verb);
  const bool writes = command.verb != control::Verb::kStart && !command.out.empty();
  if (folder != nullptr && writes) {
    folder->Keep();
    message += fmt::format(
        " and write the profile to {}, where it stays for an hour; 'iprof {} {} -o FILE' writes it "
        "again",
        command.out, verb, address);
  } else {
    message += fmt::format(": 'iprof status {}' shows it", address);
  }
  return Status(failure.code(), std::move(message));
}

Status NoFolder(const JvmTarget& target, const Status& why) {
  return Status(why.code(), fmt::format("cannot make a folder in the /tmp of {}: {}",
                                        target.process.Name(), why.message()));
}

// Over attach, or where that is forbidden, over the control socket or the doorbell.
Result<control::Answer> SendByAttach(JvmConnection& connection, const PrivateFolder& folder,
                                     Command command, milliseconds most) {
  const JvmTarget& target = connection.target();
  const std::string to_socket = FormatCommand(command);
  command.reply = folder.PathOf(kAnswerFile);
  const std::string text = FormatCommand(command);
  const Result<Answer> said = connection.Request({"load", target.jvm.agent->path, "true", text});
  if (!said.ok()) return said.status();
  const Status verdict = JudgeLoad(*said, target.jvm.agent->path);
  if (!verdict.ok() && ForbidsLoading(*said)) {
    if (!target.jvm.control.empty()) {
      return ParsedOf(target, ExchangeIn(target, target.jvm.control, to_socket, most),
                      target.process.Name());
    }
    if (Status rung = Ring(connection, text, most); !rung.ok()) return rung;
  } else if (!verdict.ok() && !folder.OpenFile(kAnswerFile).is_open()) {
    return Status(verdict.code(), fmt::format("{}: {}", target.process.Name(), verdict.message()));
  }
  return AwaitAnswer(target, folder, most);
}

Result<control::Answer> SendTo(const std::shared_ptr<JvmTarget>& target,
                               const AgentAddress& address, PrivateFolder& folder,
                               const Command& command, const AttachTimeouts& timeouts) {
  const std::string name = target->process.Name();
  std::optional<JvmConnection> connection;
  const bool needs_attach =
      address.socket.empty() && (!target->jvm.attach_disabled || target->jvm.control.empty());
  if (needs_attach) {
    Result<JvmConnection> opened = JvmConnection::Open(target, timeouts);
    if (!opened.ok()) return opened.status();
    connection.emplace(std::move(*opened));
  }
  const Patience patience(timeouts.answer);
  Result<control::Answer> answer =
      connection ? SendByAttach(*connection, folder, command, timeouts.answer)
      : address.socket.empty()
          ? ParsedOf(
                *target,
                ExchangeIn(*target, target->jvm.control, FormatCommand(command), timeouts.answer),
                name)
          : ParsedOf(*target, ExchangeAt(address.socket, FormatCommand(command), timeouts.answer),
                     "control socket " + address.socket);
  if (answer.ok() || !patience.IsOver() || target->process.HasEnded()) return answer;
  return MayGoOn(answer.status(), std::to_string(address.pid), command, &folder);
}

// With a library that is not loaded yet.
Result<control::Answer> SendByLoad(const std::shared_ptr<JvmTarget>& target,
                                   const std::string& library, PrivateFolder& folder,
                                   Command command, const AttachTimeouts& timeouts) {
  Result<JvmConnection> connection = JvmConnection::Open(target, timeouts);
  if (!connection.ok()) return connection.status();
  command.reply = folder.PathOf(kAnswerFile);
  const Status loaded = connection->Load(library, FormatCommand(command));
  if (!loaded.ok()) return loaded;
  return AwaitAnswer(*target, folder, timeouts.answer);
}

// Without a pid.
Result<AgentReply> SendToSocket(const std::string& socket, const Command& command,
                                milliseconds most) {
  const Patience patience(most);
  Result<control::Answer> answer =
      Parsed(ExchangeAt(socket, FormatCommand(command), most), "control socket " + socket);
  if (answer.ok()) return AgentReply{std::move(*answer), OwnedFd(), command.out};
  if (!patience.IsOver()) return answer.status();
  return MayGoOn(answer.status(), "--control " + socket, command, nullptr);
}

Status NotLoaded(const JvmTarget& target, const control::Answer& answer) {
  const std::string name = target.process.Name();
  if (answer.outcome != control::Outcome::kTaken)
    return Status(Code::kUnsupported, fmt::format("{}: {}", name, answer.message));
  std::string which;
  if (answer.status && answer.status->state != "idle") {
    which = " (" + answer.status->state;
    // Nobody can use a file in a tool's folder.
    const std::string& out = answer.status->out;
    if (!out.empty() && !control::IsToolsFile(out)) which += ", out=" + out;
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
  const Result<AgentReply> reply = SendCommand({pid, {}}, {}, connection.timeouts());
  if (!reply.ok()) return reply.status();
  if (reply->answer.status && reply->answer.status->state == "idle") {
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

Result<AgentReply> SendCommand(const AgentAddress& address, const AgentRequest& request,
                               const AttachTimeouts& timeouts) {
  const HeldSignals held;  // until the private folder is removed
  const bool wants_profile = request.profile != ProfileForm::kNone;
  Command command;
  command.verb = request.verb;
  command.timeout = request.patience.count() != 0 ? request.patience : QueueTime(timeouts);
  command.duration = request.duration;
  command.estimate = request.estimate;
  command.receivers_max_lost = request.receivers_max_lost;
  command.target = request.target;
  command.share = request.share;
  command.only_samples = request.only_samples;
  command.recording = request.recording;
  if (request.verb == control::Verb::kStart) command.out = request.out;
  if (address.pid == 0) {
    if (wants_profile) command.out = request.out;
    return SendToSocket(address.socket, command, timeouts.answer);
  }
  Result<JvmTarget> opened = JvmTarget::Open(address.pid, timeouts.listen);
  if (!opened.ok()) return opened.status();
  const auto target = std::make_shared<JvmTarget>(std::move(*opened));
  if (!target->jvm.agent && request.library.empty()) return NoAgent(*target);
  Result<PrivateFolder> folder = PrivateFolder::Make(*target);
  if (!folder.ok()) return NoFolder(*target, folder.status());
  if (wants_profile) command.out = folder->PathOf(FileOf(request.profile));
  Result<control::Answer> answer =
      target->jvm.agent ? SendTo(target, address, *folder, command, timeouts)
                        : SendByLoad(target, request.library, *folder, command, timeouts);
  if (!answer.ok()) return answer.status();
  AgentReply reply{std::move(*answer), OwnedFd(), command.out};
  if (wants_profile) reply.profile = folder->OpenFile(FileOf(request.profile));
  return reply;
}

void TellSaved(const AgentAddress& address, control::Answer& answer,
               const AttachTimeouts& timeouts) {
  if (!answer.status || answer.status->state != "stopped" || answer.status->recording == 0) return;
  AgentRequest request;
  request.verb = control::Verb::kSaved;
  request.recording = static_cast<int64_t>(answer.status->recording);
  // The profile is saved already, so the user should not wait long.
  AttachTimeouts short_timeouts = timeouts;
  short_timeouts.answer = std::min(timeouts.answer, kPatienceWhenSaved);
  short_timeouts.listen = std::min(timeouts.listen, kPatienceWhenSaved);
  Result<AgentReply> reply = SendCommand(address, request, short_timeouts);
  if (reply.ok() && reply->answer.outcome == control::Outcome::kDone && reply->answer.status)
    answer.status = std::move(reply->answer.status);
}

Result<std::string> LoadAgent(JvmConnection& connection, const std::string& library,
                              const std::string& options, const std::string& tools_options) {
  const HeldSignals held;
  const JvmTarget& target = connection.target();
  const Result<PrivateFolder> folder = PrivateFolder::Make(target);
  if (!folder.ok()) return NoFolder(target, folder.status());
  const std::string reply = "reply=" + folder->PathOf(kAnswerFile);
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
  if (folder->OpenFile(kAnswerFile).is_open()) {
    const Result<control::Answer> answer = ReadAnswer(target, *folder);
    if (answer.ok() && answer->outcome != control::Outcome::kDone)
      return NotLoaded(target, *answer);
    if (!loaded.ok()) return loaded;
    return answer.ok() ? Result<std::string>(answer->message) : answer.status();
  }
  if (!loaded.ok()) return loaded;
  return asks ? WithoutAnswer(target) : AskWhetherItRuns(connection);
}

}  // namespace iprof::jvm
