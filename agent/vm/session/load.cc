#include "agent/vm/session/load.h"

#include <fmt/core.h>
#include <jvmti.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/settings/log.h"
#include "agent/settings/main_program.h"
#include "agent/settings/option_contradictions.h"
#include "agent/settings/option_help.h"
#include "agent/settings/options.h"
#include "agent/settings/out_path.h"
#include "agent/settings/vm_identity.h"
#include "agent/vm/cells/heap_plan.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "agent/vm/session/agent.h"
#include "agent/vm/session/control/tool_connection.h"
#include "agent/vm/session/library_note.h"
#include "agent/vm/session/running_jvm.h"
#include "writer/base/join_text.h"
#include "writer/control/answer.h"
#include "writer/control/command.h"

namespace iprof::vm {
namespace {

enum class Outcome { kRunning, kHelped, kStaysOut, kLoadedBefore, kOvertaken };

struct Loaded {
  Outcome outcome = Outcome::kRunning;
  std::string answer = {};  // if it stays out or was loaded before: why this load has no effect
};

void PrintHelp(const std::string& about, LoadReason reason) {
  const std::string text = HelpText(about);
  const int file = reason == LoadReason::kStart ? STDOUT_FILENO : STDERR_FILENO;
  const ssize_t written = write(file, text.data(), text.size());
  static_cast<void>(written);
}

// Says to an attaching tool how the load went, if it asks (reply=).
void Reply(std::string_view options, control::Outcome outcome, std::string_view message) {
  const std::string socket = ReplyPathIn(options);
  if (socket.empty()) return;
  const Result<std::shared_ptr<ToolConnection>> tool = ToolConnection::To(socket, {});
  if (!tool.ok()) return Log().Warning(tool.status().message());
  (*tool)->Answer(
      {std::string(control::kAttachWord), outcome, std::string(message), Agent::Get().Describe()});
}

// Opens the log that the options name and starts the agent. only= has matched already.
Result<Loaded> StartWith(Agent::Attempt& attempt, JavaVM* vm, JvmtiEnvironment jvmti,
                         Options options, LoadReason reason) {
  if (reason == LoadReason::kAttach && options.source == CountSource::kBoth) {
    return Status(Code::kUsage,
                  "source=both must count from the JVM's start, as HotSpot does, so the agent must "
                  "be on its command line");
  }
  const VmAssessment assessment = Assess(MakeVmIdentity(
      SystemProperty(jvmti.get(), "java.vm.name"), SystemProperty(jvmti.get(), "java.vm.version")));
  if (assessment.verdict == VmVerdict::kRefused) {
    return Status(Code::kUnsupported, assessment.sentence);
  }
  const PathFacts facts = CurrentPathFacts();
  auto log = std::make_unique<Log>();
  log->SetVerbosity(static_cast<int>(options.verbose));
  std::optional<std::string> log_path;
  if (!options.log.empty()) {
    const Result<std::string> path = ResolveOutPath(options.log, facts);
    if (!path.ok()) return Status(path.status().code(), "option 'log': " + path.status().message());
    const Status opened = log->Open(*path);
    if (!opened.ok()) return opened;
    log_path = *path;
  }
  if (AsksForCounts(options)) {
    const auto most_heap = VmFlags(vm).Number("MaxHeapSize");
    if (most_heap && *most_heap < kLeastHeapBytes) {
      std::string why = fmt::format(
          "a heap of at most {} KiB is too small for counters, which need {} MiB (-Xmx): this JVM "
          "runs without the agent",
          *most_heap / 1024, kLeastHeapBytes >> 20);
      log->Warning(why);
      return Loaded{Outcome::kStaysOut, std::move(why)};
    }
  }
  if (!options.control.empty()) {
    const Result<std::string> path = ExpandPattern(options.control, facts);
    if (!path.ok())
      return Status(path.status().code(), "option 'control': " + path.status().message());
    options.control = std::filesystem::absolute(*path).string();
  }
  if (!options.weights.empty()) {
    Result<std::string> path = ExpandHome(options.weights, facts);
    if (!path.ok())
      return Status(path.status().code(), "option 'weights': " + path.status().message());
    options.weights = std::move(*path);
  }
  const Result<std::string> out = ResolveOutPath(
      options.out, facts, options.force == Overwrite::kNo ? OldFile::kIsKept : OldFile::kIsWritten);
  if (!out.ok()) return Status(out.status().code(), "option 'out': " + out.status().message());
  if (assessment.verdict == VmVerdict::kUntested) log->Warning(assessment.sentence);
  const bool names_raw = options.snapshot.ns != 0 && !options.raw.empty();
  const Result<std::string> raw =
      names_raw ? ResolveOutPath(options.raw, facts, OldFile::kIsKept) : std::string();
  if (!raw.ok()) return Status(raw.status().code(), "option 'raw': " + raw.status().message());
  if (names_raw) {
    // The names as written were compared before (FindContradiction).
    std::vector<std::string> others{*out};
    if (log_path) others.push_back(*log_path);
    if (!options.control.empty()) others.push_back(options.control);
    for (const std::string& other : others) {
      if (LeadToOneFile(*raw, other)) return Status(Code::kUsage, std::string(kRawNamesOther));
    }
  }
  const Status started = attempt.Start(
      vm, std::move(jvmti),
      SessionSettings{.options = std::move(options), .out_path = *out, .raw_path = *raw},
      std::move(log));
  if (!started.ok()) return started;
  // A child process that native code forks has the functions of atexit(3), too, and ends without a word of ours.
  static const pid_t kProcess = getpid();
  static const int kRegistered = std::atexit([] {
    if (getpid() == kProcess) Agent::Get().OnProcessExit();
  });
  static_cast<void>(kRegistered);
  if (reason == LoadReason::kAttach && Agent::Get().HasEndedUnbegun())
    return Loaded{Outcome::kOvertaken};
  return Loaded{Outcome::kRunning};
}

// A load by which a tool calls.
Result<Loaded> TakeCall(JavaVM* vm, const std::string& socket, LoadReason reason) {
  if (reason == LoadReason::kStart)
    return Status(Code::kUsage, "command= is for a JVM that runs the agent already");
  const Status heard = Agent::Get().HearCall(vm, socket);
  return heard.ok() ? Result<Loaded>(Loaded{Outcome::kRunning}) : heard;
}

Result<Loaded> TryLoad(JavaVM* vm, std::string_view text, LoadReason reason) {
  if (const std::string socket = control::CalledTo(text); !socket.empty())
    return TakeCall(vm, socket, reason);
  Result<ParsedOptions> parsed = ParseOptions(text);
  if (!parsed.ok()) return parsed.status();
  if (parsed->help) {
    PrintHelp(parsed->help_about, reason);
    return Loaded{Outcome::kHelped};
  }
  Agent& agent = Agent::Get();
  Agent::Attempt attempt(
      agent, reason == LoadReason::kAttach ? SessionEvent::kAttach : SessionEvent::kLoad);
  if (!attempt.is_legal()) {
    Log stderr_log;
    const auto running = agent.session();
    (running == nullptr ? stderr_log : running->log()).Warning(attempt.answer());
    const bool has_ended = agent.state() == SessionState::kEnded;
    return Loaded{has_ended ? Outcome::kStaysOut : Outcome::kLoadedBefore,
                  std::string(attempt.answer())};
  }
  if (CopiesOfThisLibrary() > 1) {
    std::string why =
        "another copy of this library is already loaded in this JVM; this one stays out";
    Log stderr_log;
    stderr_log.Warning(why);
    return Loaded{Outcome::kLoadedBefore, std::move(why)};
  }
  Result<JvmtiEnvironment> jvmti = JvmtiEnvironment::Open(vm);
  if (!jvmti.ok()) return jvmti.status();
  if (!parsed->options.only.empty()) {
    const MainProgram program = RunningProgram(jvmti->get());
    if (!SelectedBy(program, parsed->options.only)) {
      std::string why =
          fmt::format("'{}' matches no pattern of only={}, so this JVM runs without the agent",
                      program.name, JoinText(parsed->options.only, "+"));
      Log stderr_log;
      stderr_log.SetVerbosity(static_cast<int>(parsed->options.verbose));
      stderr_log.Statistics(why);
      return Loaded{Outcome::kStaysOut, std::move(why)};
    }
  }
  return StartWith(attempt, vm, std::move(*jvmti), std::move(parsed->options), reason);
}

// The answer to a load that did not fail.
void ReplyTo(std::string_view options, const Loaded& loaded) {
  switch (loaded.outcome) {
    case Outcome::kRunning:
      return Reply(options, control::Outcome::kDone, "the agent is loaded");
    case Outcome::kHelped:
      return Reply(options, control::Outcome::kDone, "the options are printed to the JVM's stderr");
    case Outcome::kStaysOut:
      return Reply(options, control::Outcome::kRefused, loaded.answer);
    case Outcome::kLoadedBefore:
      return Reply(options, control::Outcome::kTaken, loaded.answer);
    case Outcome::kOvertaken:
      return Reply(options, control::Outcome::kRefused, "the program is ending");
  }
}

jint Refuse(const Status& why, std::string_view text, LoadReason reason) {
  Log stderr_log;
  if (reason == LoadReason::kAttach) {
    const bool is_usage = why.code() == Code::kUsage;
    Reply(text, is_usage ? control::Outcome::kRefused : control::Outcome::kFailed, why.message());
  }
  if (AsksToIgnoreErrors(text)) {
    stderr_log.Error(why.message() + "; going on without the agent (onerror=ignore)");
    return JNI_OK;
  }
  stderr_log.Error(why.message());
  if (reason == LoadReason::kStart) std::exit(EXIT_FAILURE);
  return JNI_ERR;
}

}  // namespace

jint LoadAgent(JavaVM* vm, const char* options, LoadReason reason) noexcept {
  Log stderr_log;
  jint code = JNI_ERR;
  AtBoundary(stderr_log, "loading", [&] {
    const std::string_view text =
        options == nullptr ? std::string_view() : std::string_view(options);
    const Result<Loaded> loaded = TryLoad(vm, text, reason);
    if (!loaded.ok()) {
      code = Refuse(loaded.status(), text, reason);
      return;
    }
    code = loaded->outcome == Outcome::kOvertaken ? JNI_ERR : JNI_OK;
    if (reason == LoadReason::kAttach && control::CalledTo(text).empty()) ReplyTo(text, *loaded);
    if (loaded->outcome == Outcome::kHelped && reason == LoadReason::kStart)
      std::exit(EXIT_SUCCESS);
  });
  return code;
}

void UnloadAgent() noexcept {
  Log stderr_log;
  AtBoundary(stderr_log, "unloading", [] { Agent::Get().OnUnload(); });
}

}  // namespace iprof::vm
