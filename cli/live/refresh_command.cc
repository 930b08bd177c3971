// iprof refresh: lets HotSpot profile the hot classes of a running JVM again, so that a later harvest shows what the
// program does now.
#include <cmath>
#include <string>

#include "cli/jvm/agent_control.h"
#include "cli/jvm/target_wait.h"
#include "cli/live/agent_library.h"
#include "cli/live/jvm_options.h"
#include "cli/live/live_entries.h"
#include "cli/live/session_options.h"
#include "cli/live/session_report.h"
#include "cli/terminal/option_kinds.h"

namespace iprof::cli {
namespace {

class RefreshCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddAddress(options, address_);
    AddShare(options, "--share", share_,
             "The classes that do this share of the work (default: 99%)");
    AddTimeout(options, timeouts_);
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    const jvm::HeldSignals held;  // so that an interrupted command can say what goes on in the JVM
    if (Status given = CheckAddress(address_); !given.ok()) return console.Error(given);
    const Result<control::Answer> answer =
        SendToLibrary(address_, control::Refresh{std::llround(share_ * 1000)}, timeouts_);
    if (!answer.ok()) return console.Error(answer.status());
    return ReportAnswer(console, NameOf(address_), *answer, format_ == "json");
  }

 private:
  jvm::AgentAddress address_;
  double share_ = 0.99;
  jvm::AttachTimeouts timeouts_;
  std::string format_ = "text";
};

constexpr Example kRefreshExamples[] = {
    {"iprof refresh 4711", "Then let the load run for a minute, and harvest."},
    {"iprof refresh 4711 --share 90%",
     "Fewer classes, so shorter pauses and less to compile again."},
};

}  // namespace

const CommandEntry kRefreshEntry = {
    "refresh", "Let HotSpot count the hot classes from zero, for a later harvest",
    "HotSpot counts a method until its best compiler has compiled it, so 'iprof harvest' shows "
    "how the program began. This command gives the classes that do most of the work new methods "
    "with the same bytecode. The program interprets them, counts them and compiles them again; "
    "a harvest after a while shows what it does now.\n\n"
    "Needs no agent: the agent's library is loaded into the JVM for this alone. The program "
    "pauses in short steps and is slower until its hot methods are compiled again. Not while "
    "the agent itself counts.",
    kRefreshExamples, [] { return std::unique_ptr<Command>(new RefreshCommand); }};

}  // namespace iprof::cli
