// iprof attach: loads the agent into a running JVM.
#include <chrono>
#include <string>

#include "agent/settings/option_help.h"
#include "agent/settings/options.h"
#include "cli/jvm/agent_control.h"
#include "cli/jvm/target_wait.h"
#include "cli/live/agent_library.h"
#include "cli/live/jvm_options.h"
#include "cli/live/live_entries.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"

namespace iprof::cli {
namespace {

class AttachCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddPid(options, pid_);
    options
        .Add("options", options_,
             "Options of the agent as behind -agentpath, such as out=late.iprof,interval=5ms "
             "('help' lists the usual ones, 'help=all' all, 'help=OPTION' explains one)")
        .Takes("OPTIONS");
    options
        .Add("--agent", library_,
             "The agent's library (default: the one that belongs to this tool); its options "
             "are not checked before it is loaded")
        .Takes("FILE");
    AddTimeout(options, timeouts_);
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (library_.empty()) {
      const Result<vm::ParsedOptions> parsed = vm::ParseOptions(options_);
      if (!parsed.ok()) return console.Error(parsed.status());
      if (parsed->help) {
        console.Write(vm::HelpText(parsed->help_about));
        return ExitCode::kOk;
      }
      const Result<std::string> found = FindAgentLibrary();
      if (!found.ok()) return console.Error(found.status());
      library_ = *found;
    }
    const jvm::HeldSignals held;  // so that an interrupted attach can say what goes on in the JVM
    Result<jvm::JvmConnection> connection = jvm::JvmConnection::Open(pid_, timeouts_);
    if (!connection.ok()) return console.Error(connection.status());
    const Result<std::string> loaded = LoadAgent(*connection, library_, options_);
    if (!loaded.ok()) return console.Error(loaded.status());
    if (format_ == "json") {
      JsonText json(console);
      json.StartObject();
      json.Field("pid", static_cast<int64_t>(pid_));
      json.Field("was_loaded",
                 connection->jvm().agent.has_value());  // the library, and no agent ran
      json.EndObject();
    } else {
      console.Print("process {}: {}\n", pid_, EscapeForTerminal(*loaded));
    }
    return ExitCode::kOk;
  }

 private:
  pid_t pid_ = 0;
  std::string options_;
  std::string library_;
  jvm::AttachTimeouts timeouts_;
  std::string format_ = "text";
};

constexpr Example kAttachExamples[] = {
    {"iprof attach 4711 out=late.iprof", "Profile a running program from now on."},
    {"iprof attach 4711 out=late.iprof,jdk=n --timeout 600",
     "Only the application's classes, and ten minutes for a very large program."},
    {"iprof attach --agent /opt/iprof/libiprofagent.so 4711 out=late.iprof",
     "With a library that is somewhere else."},
};

}  // namespace

const CommandEntry kAttachEntry = {
    "attach", "Load the agent into a running JVM",
    "Loads the agent into the HotSpot JVM with that process id, which 'iprof list' shows. The "
    "agent "
    "counts from then on, and writes the profile when the program ends. Paths in the options are "
    "relative to the program's working directory.\n\n"
    "No JDK is needed. Run it as the program's user or as root; root also reaches JVMs in "
    "containers. "
    "A JVM that cannot read the library gets a copy in its /tmp, which is removed afterwards.\n\n"
    "Exit status: 0 if the agent is loaded with these options; 3 if it cannot or may not run "
    "there, "
    "for example because only= does not match or the heap is too small; 4 if another load came "
    "first, whose options stand, or if the JVM did not answer.",
    kAttachExamples, [] { return std::unique_ptr<Command>(new AttachCommand); }};

}  // namespace iprof::cli
