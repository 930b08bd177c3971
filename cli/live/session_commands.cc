// iprof start, stop, reset, dump and status: commands to an agent that is loaded.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/files/output_claim.h"
#include "cli/jvm/target_wait.h"
#include "cli/live/jvm_options.h"
#include "cli/live/live_entries.h"
#include "cli/live/open_metrics.h"
#include "cli/live/session_options.h"
#include "cli/live/session_report.h"
#include "cli/terminal/option_kinds.h"

namespace iprof::cli {
namespace {

const std::vector<std::string> kNoOthers;
const std::vector<std::string> kMetrics{"openmetrics"};

template <typename Wish>
class SessionCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddAddress(options, address_);
    if (kWrites) {
      options
          .Add("-o,--output", output_,
               std::is_same_v<Wish, control::Stop>
                   ? "Also write the profile to this file"
                   : "Write to this file (default: to the file that the agent's out= names)")
          .Takes("FILE");
    }
    if (std::is_same_v<Wish, control::Reset>)
      options.AddFlag("--samples", only_samples_, "Forget only the samples; the counts stay");
    AddTimeout(options, timeouts_);
    AddFormat(options, format_, std::is_same_v<Wish, control::Describe> ? kMetrics : kNoOthers);
  }

  ExitCode Run(Console& console) override {
    const jvm::HeldSignals held;  // so that an interrupted command can say what goes on in the JVM
    if (Status given = CheckAddress(address_); !given.ok()) return console.Error(given);
    Wish wish;
    if constexpr (std::is_same_v<Wish, control::Reset>) {
      if (only_samples_) wish.only = control::Forgotten::kSamples;
    }
    if constexpr (kWrites) {
      if (!output_.empty()) {
        if (Status ready = CheckOutput(console, wish); !ready.ok()) return console.Error(ready);
      }
    }
    bool is_saved = false;
    const auto save = [&](ByteSource& profile) {
      const Status saved = SaveProfile(profile, output_);
      is_saved = saved.ok();
      return saved.ok() ? saved : NotSaved(saved, address_.pid);
    };
    Result<control::Answer> said = Send(console, wish, save);
    // What is saved is saved, also if the program has ended before the agent's last word.
    if (!said.ok() && is_saved)
      said = control::Answer{std::string(VerbName(wish)), control::Outcome::kDone, ""};
    if (!said.ok()) return console.Error(said.status());
    control::Answer& answer = *said;
    if (answer.outcome == control::Outcome::kDone && kWrites && !output_.empty() &&
        address_.pid != 0) {
      if (!is_saved) return console.Error(NoProfile());
      answer.message += fmt::format("{}wrote {}", answer.message.empty() ? "" : "; ", output_);
    }
    if (format_ == kMetrics.front() && answer.outcome == control::Outcome::kDone && answer.status) {
      const std::string target = address_.pid != 0 ? std::to_string(address_.pid) : address_.socket;
      console.Write(OpenMetricsText(target, *answer.status));
      return ExitCode::kOk;
    }
    return ReportAnswer(console, NameOf(address_), answer, format_ == "json");
  }

 private:
  static constexpr bool kWrites =
      std::is_same_v<Wish, control::Stop> || std::is_same_v<Wish, control::Dump>;

  Result<control::Answer> Send(const Console& console, const Wish& wish,
                               const jvm::TakeProfile& save) const {
    Progress line(console, "");
    jvm::AgentRequest request{.wish = wish};
    if (kWrites) request.progress = ShownOn(line);
    return SendCommand(address_, request, timeouts_, save);
  }

  Status CheckOutput(Console& console, control::ProfileWish& wish) {
    if (address_.pid != 0) {
      wish.sent = FormOf(output_);
      Result<vm::OutClaim> claim = ClaimOutput(console, address_.pid, output_);
      if (claim.ok()) claim_ = std::move(*claim);
      return claim.status();
    }
    if (!output_.starts_with('/')) {
      return Status(Code::kUsage,
                    "with --control and without a process id, the JVM itself writes the file: give "
                    "an absolute path of the JVM with -o");
    }
    wish.out = output_;
    return Status();
  }

  Status NoProfile() const {
    return Status(Code::kIo, fmt::format("{}: the agent wrote no profile", NameOf(address_)));
  }

  jvm::AgentAddress address_;
  std::string output_;
  bool only_samples_ = false;
  vm::OutClaim claim_;  // of output_, until this command ends
  jvm::AttachTimeouts timeouts_;
  std::string format_ = "text";
};

template <typename Wish>
std::unique_ptr<Command> Make() {
  return std::unique_ptr<Command>(new SessionCommand<Wish>);
}

constexpr Example kStartExamples[] = {
    {"iprof start 4711", "Record from now on, or go on after 'iprof stop'."},
    {"iprof start --control /run/app/iprof.sock", "Through the agent's control socket."},
};
constexpr Example kStopExamples[] = {
    {"iprof stop 4711 -o app.iprof", "Stop recording, and write what was recorded."},
    {"iprof stop 4711", "Stop recording; what was recorded stays in the agent."},
};
constexpr Example kResetExamples[] = {
    {"iprof reset 4711", "Forget what was counted during the warm-up."},
    {"iprof reset 4711 --samples", "Forget only where the CPU time went."},
};
constexpr Example kDumpExamples[] = {
    {"iprof dump 4711 -o now.iprof", "Write the profile so far, and go on recording."},
    {"iprof dump 4711", "The same, to the file that the agent's out= names."},
};
constexpr Example kStatusExamples[] = {
    {"iprof status 4711", "What the agent does, and what it costs."},
    {"iprof status 4711 --format json", "The same for programs."},
    {"iprof status 4711 --format openmetrics", "The same for Prometheus and its relatives."},
};

}  // namespace

const CommandEntry kStartEntry = {
    "start", "Start recording in a JVM that has the agent",
    "Starts to record in a JVM in which the agent is loaded and does not record: it was loaded "
    "with "
    "start=n, or stopped. After a stop the counts continue; 'iprof reset' begins at zero.\n\n"
    "The classes that are loaded are changed in batches, each of which pauses the program shortly. "
    "If no agent is loaded, use 'iprof profile' or 'iprof attach'.",
    kStartExamples, Make<control::Start>};

const CommandEntry kStopEntry = {
    "stop", "Stop recording, and give the classes their own code back",
    "Stops recording. All classes that the JVM can change get the code back that they had before, "
    "so that the program is as fast as without the agent; lambdas that were counted keep their "
    "probes, and 'iprof status' says how many. What was recorded is kept.\n\n"
    "With -o the profile is written after that.",
    kStopExamples, Make<control::Stop>};

const CommandEntry kResetEntry = {
    "reset", "Forget what was recorded so far",
    "Forgets the counts and samples up to now, so that the next profile has only what comes later. "
    "The program does not pause, and recording goes on.",
    kResetExamples, Make<control::Reset>};

const CommandEntry kDumpEntry = {
    "dump", "Write the profile while the program runs",
    "Writes the profile of what was recorded so far; recording goes on. With -o, the tool writes "
    "the file, with the rights of its own user; else the agent writes the file that its option "
    "out= names.",
    kDumpExamples, Make<control::Dump>};

const CommandEntry kStatusEntry = {
    "status", "Print what the agent in a JVM does",
    "Prints whether the agent records, since when and what; how many classes and methods it counts "
    "and leaves alone; samples, losses, memory and CPU time of the agent; and the pauses of the "
    "last start or stop.",
    kStatusExamples, Make<control::Describe>};

}  // namespace iprof::cli
