// iprof profile: records a window of a running program, writes the profile and leaves the program as it was.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/vm/settings/options.h"
#include "agent/vm/settings/out_path.h"
#include "cli/agent_library.h"
#include "cli/entries.h"
#include "cli/json_text.h"
#include "cli/jvm/agent_control.h"
#include "cli/jvm/target_wait.h"
#include "cli/jvm_options.h"
#include "cli/option_kinds.h"
#include "cli/output_claim.h"
#include "cli/profile_files.h"
#include "cli/program_wait.h"
#include "cli/raw_input.h"
#include "cli/raw_of_last.h"
#include "cli/session_options.h"
#include "cli/terminal_text.h"
#include "writer/base/grouped.h"

namespace iprof::cli {
namespace {

using control::Verb;
using jvm::HeldSignals;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// If this tool is killed, the agent stops by itself this long after it should have been stopped.
constexpr milliseconds kMargin{60'000};
// A stop that follows a start which has not answered waits this long for it, also without this tool.
constexpr milliseconds kLongStart{3'600'000};
// In the private folder; see MakeFolder.
constexpr char kAgentsFile[] = "agent.iprof";
constexpr char kLastProfile[] = "exit.iprof";
constexpr char kLastProfileGzip[] = "exit.iprof.gz";
// Of the recording for which this tool has loaded the agent, and of a later one.
constexpr char kAgentsRawFile[] = "agent.iraw";
constexpr char kLastRawFile[] = "exit.iraw";
constexpr char kAgentsPartial[] = "agent.iprof.partial";
// A stop that fails because the program is ending fails shortly before the process has ended.
constexpr milliseconds kEndPatience{5'000};

milliseconds Since(Clock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

bool Names(std::string_view options, std::string_view name) {
  return options.starts_with(name) || options.find(fmt::format(",{}", name)) != options.npos;
}

class ProfileCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddPid(options, address_.pid);
    options
        .Add("options", options_,
             "Options of the agent as behind -agentpath, such as jdk=n,interval=5ms; only if "
             "it is not loaded yet")
        .Takes("OPTIONS");
    options.Add("-o,--output", output_, "Where the profile goes").Required().Takes("FILE");
    AddDuration(options, "--warmup", warmup_,
                "Wait this long before the agent is loaded (default: 0s)");
    AddDuration(options, "-d,--duration", duration_, "Record this long (default: until Ctrl-C)");
    options
        .Add("--agent", library_,
             "The agent's library (default: the one that belongs to this tool)")
        .Takes("FILE");
    AddTimeout(options, timeouts_);
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    // Until the end: what was begun is ended well, also after Ctrl-C, and a second one still lets this tool say
    // what goes on in the JVM.
    const HeldSignals held;
    const Status done = Profile(console);
    return done.ok() ? ExitCode::kOk : console.Error(done);
  }

 private:
  Status Profile(Console& console) {
    if (Status status = Prepare(console); !status.ok()) return status;
    Result<jvm::JvmTarget> opened = jvm::JvmTarget::Open(address_.pid, timeouts_.listen);
    if (!opened.ok()) return opened.status();
    target_ = std::make_shared<jvm::JvmTarget>(std::move(*opened));
    if (Status status = CheckFree(); !status.ok()) return status;
    if (warmup_.count() != 0) {
      const Ending ending = WaitFor(console, target_->process, "warm-up", warmup_);
      if (ending == Ending::kProgramEnded) return target_->process.Ended();
      if (ending == Ending::kInterrupt) {
        return Status(Code::kIo, "interrupted during the warm-up: nothing was recorded");
      }
    }
    if (!Names(options_, "out=")) {
      if (Status status = MakeFolder(); !status.ok()) return status;
    }
    if (!has_agent_) {
      if (Status status = Load(); !status.ok()) return status;
    }
    const Clock::time_point start = Clock::now();
    if (Status status = Start(); !status.ok()) {
      if (HeldSignals::IsPending()) {
        // The agent may record by now. What interrupts the stop in turn ends this tool.
        HeldSignals::Take(milliseconds(0));
        return Stop(console, Since(start), kLongStart);
      }
      return Since(start) < timeouts_.answer ? status : TakeBack();
    }
    const Ending ending = WaitFor(console, target_->process, "recording",
                                  duration_.count() != 0 ? std::optional(duration_) : std::nullopt);
    const milliseconds recorded = Since(start);
    if (ending == Ending::kProgramEnded) return SaveLast(console, recorded);
    return Stop(console, recorded);
  }

  // What can be refused before anything was done.
  Status Prepare(Console& console) {
    if (Names(options_, "command=") || Names(options_, "start=") || Names(options_, "reply=")) {
      return Status(Code::kUsage,
                    "'iprof profile' sets start=, reply= and command= itself: leave them out");
    }
    if (duration_ > control::kLongestTime - kMargin) {
      return Status(Code::kUsage, "--duration is at most 23 hours and 59 minutes (1439m)");
    }
    if (library_.empty()) {
      const Result<vm::ParsedOptions> parsed = vm::ParseOptions(options_);
      if (!parsed.ok()) return parsed.status();
      if (parsed->help) {
        return Status(Code::kUsage,
                      "'iprof attach PID help' prints the agent's options, and loads nothing");
      }
      const Result<std::string> found = FindAgentLibrary();
      if (!found.ok()) return found.status();
      library_ = *found;
    }
    Result<vm::OutClaim> claim = ClaimOutput(console, address_.pid, output_);
    if (claim.ok()) claim_ = std::move(*claim);
    return claim.status();
  }

  // An agent that is loaded must not record for somebody else.
  Status CheckFree() {
    if (!target_->jvm.agent) return Status();
    const Result<jvm::AgentReply> reply = SendCommand(address_, {}, timeouts_);
    if (!reply.ok()) return reply.status();
    const control::Answer& answer = reply->answer;
    // A harvest or a refresh has loaded the library alone.
    if (answer.status && answer.status->state == "idle") return Status();
    has_agent_ = true;
    if (answer.status && !control::IsToolsFile(answer.status->out)) users_out_ = answer.status->out;
    if (!options_.empty()) {
      return Status(
          Code::kUsage,
          fmt::format("{}: the agent is loaded already, and keeps the options of its first load: "
                      "leave the options out",
                      target_->process.Name()));
    }
    if (answer.outcome != control::Outcome::kDone) return NotDone(answer);
    if (!answer.status || answer.status->state != "recording") return Status();
    return Status(Code::kIo,
                  fmt::format("{}: the agent is recording already: 'iprof stop {}' stops "
                              "it, 'iprof dump {} -o FILE' writes what it has",
                              target_->process.Name(), address_.pid, address_.pid));
  }

  // The agent's own file and that of this recording are in a private folder. So no folder of the program needs
  // to be writable, and what the agent writes if the program ends during the recording is found. The
  // recording names its file itself, because the agent may have been loaded by an earlier run of this tool,
  // whose folder is gone.
  Status MakeFolder() {
    Result<jvm::PrivateFolder> folder = jvm::PrivateFolder::Make(*target_);
    if (!folder.ok()) return folder.status();
    folder_.emplace(std::move(*folder));
    return Status();
  }

  const char* LastProfile() const {
    return FormOf(output_) == jvm::ProfileForm::kGzip ? kLastProfileGzip : kLastProfile;
  }

  Status Load() {
    std::string own = "start=n";
    if (folder_) own += ",out=" + folder_->PathOf(kAgentsFile);
    Result<jvm::JvmConnection> connection = jvm::JvmConnection::Open(target_, timeouts_);
    if (!connection.ok()) return connection.status();
    return LoadAgent(*connection, library_, options_, own).status();
  }

  Status Start() {
    jvm::AgentRequest request;
    request.verb = Verb::kStart;
    if (folder_) request.out = folder_->PathOf(LastProfile());
    if (duration_.count() != 0) request.duration = duration_ + kMargin;
    const Result<control::Answer> answer = Ask(request);
    if (answer.ok() && answer->status && !folder_) users_out_ = answer->status->out;
    return answer.status();
  }

  // The agent has not answered to the start in time, and may still carry it out: into a folder that would be
  // gone, and for ever if there is no duration. So a stop follows.
  Status TakeBack() {
    const Status late(Code::kIo,
                      fmt::format("{}: the recording did not begin within {} (--timeout)",
                                  target_->process.Name(), jvm::InSeconds(timeouts_.answer)));
    jvm::AgentRequest request;
    request.verb = Verb::kStop;
    request.patience = kLongStart;
    const Result<control::Answer> answer = Ask(request);
    if (answer.ok()) return Status(late.code(), late.message() + "; it was stopped again");
    if (folder_ && !target_->process.HasEnded()) folder_->Keep();  // the stop may be refused
    return Status(late.code(), fmt::format("{}, and was not stopped: {}", late.message(),
                                           answer.status().message()));
  }

  // `patience`: how long it may wait in the agent, see AgentRequest.
  Status Stop(Console& console, milliseconds recorded, milliseconds patience = milliseconds(0)) {
    jvm::AgentRequest request;
    request.verb = Verb::kStop;
    request.patience = patience;
    request.profile = FormOf(output_);
    OwnedFd profile;
    Refusal refusal = Refusal::kNoAnswer;
    Result<control::Answer> answer = Ask(request, &profile, &refusal);
    if (!answer.ok()) {
      // Only the program's end is worth a wait; another refusal is the reason.
      const bool has_ended =
          refusal == Refusal::kOther ? target_->process.HasEnded() : HasEndedSoon(console);
      if (has_ended) {
        const std::string why = answer.status().message();
        if (refusal != Refusal::kNoAnswer && !why.ends_with(control::kEnding)) why_no_stop_ = why;
        return SaveLast(console, recorded);
      }
      // The agent may go on recording, or its stop may fail: then it writes to its own file.
      if (folder_ && !target_->process.HasEnded()) folder_->Keep();
      return answer.status();
    }
    if (answer->status) compiled_anew_ = answer->status->methods_compiled_anew;
    if (!profile.is_open()) {
      return Status(Code::kIo,
                    fmt::format("{}: the agent wrote no profile", target_->process.Name()));
    }
    if (Status saved = SaveProfile(profile, output_, timeouts_.answer); !saved.ok()) {
      // Otherwise the program's end has no place for the profile.
      if (folder_ && users_out_.empty()) folder_->Keep();
      return NotSaved(saved, address_.pid);
    }
    TellSaved(address_, *answer, timeouts_);
    Report(console, recorded, HowEnded::kByStop);
    return Status();
  }

  bool HasEndedSoon(Console& console) const {
    if (target_->process.HasEnded()) return true;
    if (HeldSignals::IsPending()) return false;
    return WaitFor(console, target_->process, "the program's end", kEndPatience) ==
           Ending::kProgramEnded;
  }

  // The program ended during the recording. If it ended well, the agent has written its profile by then.
  Status SaveLast(Console& console, milliseconds recorded) {
    const OwnedFd profile = folder_ ? folder_->OpenFile(LastProfile()) : OwnedFd();
    if (profile.is_open()) {
      if (Status saved = SaveProfile(profile, output_, timeouts_.answer); !saved.ok())
        return KeptIn(LastProfile(), saved);
      if (const auto raw = RemoveRawOfLast(*target_, *folder_)) {
        console.Warn(fmt::format(
            "the raw file {} could not be removed, whose content is in the profile: remove it",
            *raw));
      }
      Report(console, recorded, HowEnded::kByItself);
      return Status();
    }
    const std::string last_partial = LastProfile() + std::string(vm::kPartialSuffix);
    for (const char* file : {kLastRawFile, kAgentsRawFile, last_partial.c_str(), kAgentsPartial}) {
      const OwnedFd raw = folder_ ? folder_->OpenFile(file) : OwnedFd();
      if (raw.is_open()) return Recover(console, file, raw, recorded);
    }
    return Elsewhere();
  }

  // The program was killed, or has crashed.
  Status Recover(Console& console, const char* file, const OwnedFd& raw, milliseconds recorded) {
    const std::string name = target_->process.Name();
    const bool is_partial = std::string_view(file).ends_with(vm::kPartialSuffix);
    const std::string what = is_partial ? "partial profile" : "raw file";
    const Result<RawProfile> made =
        ReadRecoverable(raw.get(), fmt::format("the {} of {}", what, name));
    if (!made.ok()) {
      return {
          made.status().code(),
          fmt::format("{} has ended without writing its profile; {}; for an hour that file is {}",
                      name, made.status().message(), Keep(file))};
    }
    const Status saved =
        WriteProfileOutput(console, made->profile, output_, "auto", /*pretty=*/false,
                           /*gzip=*/false, Readers::kOwner);
    if (!saved.ok()) return KeptIn(file, saved);
    console.Warn(
        fmt::format("{} has ended without writing its profile, which was recovered from its {}: {}",
                    name, what, made->note.Describe()));
    Report(console, recorded, HowEnded::kKilled);
    return Status();
  }

  // What it recorded could not be saved, and stays in this file of our folder.
  Status KeptIn(const char* file, const Status& why) {
    return {why.code(), fmt::format("{}; what was recorded is in {}, where it stays for an hour",
                                    why.message(), Keep(file))};
  }

  // The file's path.
  std::string Keep(const char* file) {
    std::string path = folder_->PathOf(file);
    folder_->Keep();
    return path;
  }

  // What there is, is in the user's files, if anywhere.
  Status Elsewhere() const {
    std::string where;
    if (users_out_.empty()) {
      where = " without writing its profile";
    } else {
      where = fmt::format(": its profile, if it could write one, is {}", users_out_);
    }
    const std::string raw = users_out_.empty() ? "" : vm::RawPathBeside(users_out_);
    if (Names(options_, "raw=")) {
      where += "; if it was killed, 'iprof recover' makes one of the raw file that raw= names";
    } else if (!raw.empty()) {
      // An earlier file is never replaced.
      where += fmt::format(
          "; if it was killed, 'iprof recover' makes one of its raw file, which is the newest of "
          "{}, {} and so on, unless the agent's raw= names another, or of its partial profile {}",
          raw, vm::NumberedName(raw, 1), vm::PartialPathBeside(users_out_));
    } else if (has_agent_) {
      where += ", and left no raw file to recover one from, unless the agent's raw= names one";
    } else {
      where += ", and left no raw file to recover one from";
    }
    if (!why_no_stop_.empty())
      where += fmt::format("; the agent's last answer was: {}", why_no_stop_);
    return {Code::kIo,
            fmt::format("{} has ended during the recording{}", target_->process.Name(), where)};
  }

  enum class HowEnded : uint8_t { kByStop, kByItself, kKilled };

  void Report(Console& console, milliseconds recorded, HowEnded how) const {
    const bool has_ended = how != HowEnded::kByStop;
    if (format_ == "json") {
      JsonText json(console);
      json.StartObject();
      json.Field("pid", static_cast<int64_t>(address_.pid));
      json.Field("recorded_ms", static_cast<int64_t>(recorded.count()));
      json.Field("program_ended", has_ended);
      json.Field("recovered", how == HowEnded::kKilled);
      json.Field("methods_compiled_anew", static_cast<int64_t>(compiled_anew_));
      json.Field("output", output_);
      json.EndObject();
      return;
    }
    std::string anew;
    if (compiled_anew_ > 0) {
      anew = fmt::format("; {} compiled anew for precise lines",
                         Counted(compiled_anew_, "hot method was", "hot methods were"));
    }
    console.Print("{}: {} {}, wrote {}{}\n", target_->process.Name(),
                  has_ended ? "has ended; recorded" : "recorded", jvm::InSeconds(recorded),
                  EscapeForTerminal(output_), anew);
  }

  Status NotDone(const control::Answer& answer) const {
    return Status(Code::kIo, fmt::format("{}: {}", target_->process.Name(), answer.message));
  }

  // Why there is no answer, or none that is "done".
  enum class Refusal : uint8_t { kNoAnswer, kEnding, kOther };

  // An answer that is not "done" is a failure.
  Result<control::Answer> Ask(const jvm::AgentRequest& request, OwnedFd* profile = nullptr,
                              Refusal* refusal = nullptr) const {
    if (refusal != nullptr) *refusal = Refusal::kNoAnswer;
    if (target_->process.HasEnded()) return target_->process.Ended();
    Result<jvm::AgentReply> reply = SendCommand(address_, request, timeouts_);
    if (!reply.ok()) return reply.status();
    if (reply->answer.outcome != control::Outcome::kDone) {
      const bool is_ending = reply->answer.message.starts_with(control::kEnding);
      if (refusal != nullptr) *refusal = is_ending ? Refusal::kEnding : Refusal::kOther;
      return NotDone(reply->answer);
    }
    if (profile != nullptr) *profile = std::move(reply->profile);
    return std::move(reply->answer);
  }

  jvm::AgentAddress address_;
  std::string options_;
  std::string output_;
  vm::OutClaim claim_;  // of output_, until this command ends
  std::string library_;
  milliseconds warmup_{0};
  milliseconds duration_{0};
  jvm::AttachTimeouts timeouts_;
  std::string format_ = "text";

  std::shared_ptr<jvm::JvmTarget> target_;
  bool has_agent_ = false;                    // one was started in it before
  std::string users_out_;                     // the agent's own file; empty: it is in our folder
  uint64_t compiled_anew_ = 0;                // methods, as the stop said
  std::string why_no_stop_;                   // then, the agent's reason; may be empty
  std::optional<jvm::PrivateFolder> folder_;  // unless the options name the agent's file
};

constexpr Example kExamples[] = {
    {"iprof profile 4711 --warmup 60s --duration 30s -o app.iprof",
     "Wait a minute, record for half a minute, stop, and write the profile."},
    {"iprof profile 4711 -o app.iprof", "Record until Ctrl-C."},
    {"iprof profile 4711 jdk=n,receivers=n --duration 5m -o app.iprof.gz",
     "Record less, for five minutes; the file is compressed."},
};

}  // namespace

const CommandEntry kProfileEntry = {
    "profile", "Record a window of a running program, and leave it as it was",
    "Loads the agent into the JVM if it is not there yet, records, writes the profile and stops: "
    "the program runs its own code again. Nothing touches the program before the warm-up is over. "
    "Ctrl-C ends the recording early and writes the profile; without --duration it is the way to "
    "end it. A second Ctrl-C does not wait until the profile is written.\n\n"
    "If the program ends during the recording, its profile is written all the same; if it is "
    "killed, it is recovered from its raw file. If this tool is killed, the agent stops by itself "
    "a minute after the end of --duration.\n\n"
    "The agent stays loaded and idle; 'iprof start' and a second 'iprof profile' use it again.",
    kExamples, [] { return std::unique_ptr<Command>(new ProfileCommand); }};

}  // namespace iprof::cli
