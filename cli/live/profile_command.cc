// iprof profile: records a window of a running program, writes the profile and leaves the program as it was.
#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "agent/settings/options.h"
#include "cli/files/output_claim.h"
#include "cli/files/profile_files.h"
#include "cli/jvm/target_wait.h"
#include "cli/live/agent_library.h"
#include "cli/live/jvm_options.h"
#include "cli/live/live_entries.h"
#include "cli/live/session_options.h"
#include "cli/live/window_recording.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "writer/base/grouped.h"
#include "writer/ops/advice.h"

namespace iprof::cli {
namespace {

using std::chrono::milliseconds;

class ProfileCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddPid(options, order_.address.pid);
    options
        .Add("options", order_.options,
             "Options of the agent as behind -agentpath, such as jdk=n,interval=5ms; only if "
             "it is not loaded yet")
        .Takes("OPTIONS");
    options.AddFlag("--alloc", alloc_,
                    "Also sample what the program allocates, as alloc=512k among the options does");
    options.AddFlag("--lock", lock_,
                    "Also record waits for locks, as lock=1ms among the options does");
    options.Add("-o,--output", output_, "Where the profile goes").Required().Takes("FILE");
    AddDuration(options, "--warmup", order_.warmup,
                "Wait this long before the agent is loaded (default: 0s)");
    AddDuration(options, "-d,--duration", order_.duration,
                "Record this long (default: until Ctrl-C)");
    options
        .Add("--agent", order_.library,
             "The agent's library (default: the one that belongs to this tool)")
        .Takes("FILE");
    AddTimeout(options, order_.timeouts);
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    // Until the end: what was begun is ended well, also after Ctrl-C, and a second one still lets this tool say
    // what goes on in the JVM.
    const jvm::HeldSignals held;
    if (format_ == "text") console.WrapLines();
    const Status done = Record(console);
    return done.ok() ? ExitCode::kOk : console.Error(done);
  }

 private:
  Status Record(Console& console) {
    if (Status status = Prepare(console); !status.ok()) return status;
    order_.form = FormOf(output_);
    order_.save = [this](ByteSource& profile) { return SaveProfile(profile, output_); };
    order_.save_recovered = [&](const Profile& recovered) {
      return WriteProfileOutput(console, recovered, output_, "auto", /*pretty=*/false,
                                /*gzip=*/false, Readers::kOwner);
    };
    WindowRecording recording(order_, console);
    const Result<RecordedWindow> window = recording.Record();
    if (!window.ok()) return window.status();
    Report(console, recording.target().process.Name(), *window);
    return Status();
  }

  void AddOption(std::string_view option) {
    if (!order_.options.empty()) order_.options += ',';
    order_.options += option;
  }

  // What can be refused before anything was done.
  Status Prepare(Console& console) {
    if (alloc_) AddOption("alloc=512k");
    if (lock_) AddOption("lock=1ms");
    if (Status status = CheckWindow(order_, "iprof profile", "--duration"); !status.ok())
      return status;
    if (order_.library.empty()) {
      const Result<vm::ParsedOptions> parsed = vm::ParseOptions(order_.options);
      if (!parsed.ok()) return parsed.status();
      if (parsed->help) {
        return Status(Code::kUsage,
                      "'iprof attach PID help' prints the agent's options, and loads nothing");
      }
      const Result<std::string> found = FindAgentLibrary();
      if (!found.ok()) return found.status();
      order_.library = *found;
    }
    Result<vm::OutClaim> claim = ClaimOutput(console, order_.address.pid, output_);
    if (claim.ok()) claim_ = std::move(*claim);
    return claim.status();
  }

  void Report(Console& console, const std::string& process, const RecordedWindow& window) const {
    // The agent's file, as it was written.
    const Result<Profile> written = ReadInput(console, output_);
    using HowEnded = RecordedWindow::HowEnded;
    const bool has_ended = window.how != HowEnded::kByStop;
    if (format_ == "json") {
      JsonText json(console);
      json.StartObject();
      json.Field("pid", static_cast<int64_t>(order_.address.pid));
      json.Field("recorded_ms", static_cast<int64_t>(window.recorded.count()));
      json.Field("program_ended", has_ended);
      json.Field("recovered", window.how == HowEnded::kKilled);
      json.Field("methods_compiled_anew", static_cast<int64_t>(window.compiled_anew));
      json.Field("output", output_);
      if (written.ok()) json.Field("advice", AdviseOn(*written, {.file = output_}).Line());
      json.EndObject();
      return;
    }
    std::string renewed;
    if (window.compiled_anew > 0) {
      renewed = fmt::format("; {} compiled again for precise lines",
                            Counted(window.compiled_anew, "hot method was", "hot methods were"));
    }
    console.Print("{}: {} {}, wrote {}{}\n", process,
                  has_ended ? "has ended; recorded" : "recorded", jvm::InSeconds(window.recorded),
                  EscapeForTerminal(output_), renewed);
    if (written.ok()) PrintAdvice(console, output_, *written);
  }

  WindowOrder order_;
  std::string output_;
  bool alloc_ = false;
  bool lock_ = false;
  vm::OutClaim claim_;  // of output_, until this command ends
  std::string format_ = "text";
};

constexpr Example kProfileExamples[] = {
    {"iprof profile 4711 --warmup 60s --duration 30s -o app.iprof",
     "Wait a minute, record for half a minute, stop, and write the profile."},
    {"iprof profile 4711 -o app.iprof", "Record until Ctrl-C."},
    {"iprof profile 4711 --alloc --lock calls=n,branches=n -d 30s -o app.iprof",
     "Where the CPU time goes, who allocates what, and who waits for which lock."},
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
    kProfileExamples, [] { return std::unique_ptr<Command>(new ProfileCommand); }};

}  // namespace iprof::cli
