// Commands to the agent, recordings that they start and stop, and their files, against a JVM that a test drives.
#include "agent/vm/session/agent.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/vm/session/control/listening_tool.h"
#include "agent/vm/session/loaded_agent.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

TEST_CASE("the status says why there is no raw file, once something is recorded") {
  LoadedAgent l;
  REQUIRE(l.Load(std::string(kCalls) + ",snapshot=0,start=n").ok());
  l.jvm.LivePhase();
  CHECK(Tell(l, "command=status").status->no_raw.empty());
  REQUIRE(Tell(l, "command=start").outcome == control::Outcome::kDone);
  CHECK(Tell(l, "command=status").status->no_raw == "snapshot=0");
}

TEST_CASE("commands say what they did, or why not") {
  LoadedAgent l;
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  const std::string other = l.folder / "y.iprof";
  CHECK(Tell(l, "command=start").message == "the recording is running already");
  CHECK(Tell(l, "command=start").outcome == control::Outcome::kRefused);
  CHECK(Tell(l, "command=dump").message == "wrote " + l.out.string());
  CHECK(fs::exists(l.out));
  CHECK(Tell(l, "command=reset").outcome == control::Outcome::kDone);
  const control::Answer stopped = Tell(l, "command=stop,out=" + other);
  CHECK(stopped.outcome == control::Outcome::kDone);
  CHECK(stopped.message.ends_with("; wrote " + other));
  CHECK(fs::exists(other));
  REQUIRE(stopped.status.has_value());
  CHECK(stopped.status->state == "stopped");
  CHECK(stopped.status->records == std::vector<std::string>{"calls"});
  CHECK(stopped.status->out == l.out.string());
  CHECK(stopped.status->since_ms > 0);
  CHECK(stopped.status->since_ms <= stopped.status->now_ms);
  CHECK(Tell(l, "command=stop").message == "nothing is being recorded");
  fs::remove(other);
  CHECK(Tell(l, "command=stop,out=" + other).outcome == control::Outcome::kDone);
  CHECK(fs::exists(other));
  CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
  CHECK(Tell(l, "command=status").status->state == "recording");
  CHECK(Tell(l, "command=dump,out=/no such folder/x").outcome == control::Outcome::kFailed);
}

TEST_CASE("with start=n nothing is recorded until the command comes") {
  LoadedAgent l;
  const SessionEvent how = GENERATE(SessionEvent::kLoad, SessionEvent::kAttach);
  REQUIRE(l.Load("start=n," + std::string(kCalls), how).ok());
  if (how == SessionEvent::kLoad) l.jvm.LivePhase();
  CHECK(l.agent.state() == SessionState::kStopped);
  CHECK_FALSE(l.jvm.enabled_events().contains(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK));
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  FakeClass* const early = l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader);
  CHECK(early->bytes == file.Bytes());
  CHECK(Tell(l, "command=dump").message == "nothing has been recorded yet");
  CHECK(Tell(l, "command=stop").message == "nothing is being recorded");
  const control::Answer nothing = Tell(l, "command=stop,out=" + l.out.string());
  CHECK(nothing.outcome == control::Outcome::kRefused);
  CHECK(nothing.message == "nothing has been recorded yet");
  CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
  CHECK(early->bytes != file.Bytes());
  CHECK(Tell(l, "command=stop").outcome == control::Outcome::kDone);
  CHECK(early->bytes == file.Bytes());
  l.jvm.Die();
  CHECK(fs::exists(l.out));
}

TEST_CASE(
    "an agent that waits for a start has no file, and asks for what the JVM gives only early") {
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  CHECK(fs::is_empty(l.folder.path()));
  const auto environments = l.jvm.environments();
  CHECK(std::any_of(environments.begin(), environments.end(), [](const FakeEnvironment& each) {
    return each.capabilities.can_retransform_classes == 1 &&
           each.capabilities.can_generate_all_class_hook_events == 1;
  }));
  std::string own = l.out.string();
  std::string said = "the recording is running";
  std::optional<OutClaim> others;
  SECTION("its name is free") {}
  SECTION("another JVM has taken its name") {
    others = std::move(*OutClaim::Take(l.out.string()));
    own = l.folder / "x.1.iprof";
    said += "; another running process writes " + l.out.string() + ", so this one writes " + own;
  }
  CHECK(Tell(l, "command=status").status->out == l.out.string());
  const control::Answer started = Tell(l, "command=start");
  CHECK(started.message == said);
  CHECK(started.status->out == own);
  CHECK(OutClaim::Take(own)->path() != own);  // it is taken
  CHECK(Tell(l, "command=stop").outcome == control::Outcome::kDone);
  CHECK(Tell(l, "command=start").message == "the recording is running");
  l.jvm.Die();
  CHECK(fs::exists(own));
  CHECK(OutClaim::Take(own)->path() == own);
}

TEST_CASE("a command to start that failed can be given again") {
  LoadedAgent l;
  const SessionEvent how = GENERATE(SessionEvent::kLoad, SessionEvent::kAttach);
  const std::string failure = GENERATE(as<std::string>(), "RunAgentThread", "enable ClassPrepare",
                                       "enable ThreadStart", "GetLoadedClasses");
  INFO(failure);
  REQUIRE(l.Load("start=n,jdk=n,branches=n,receivers=n,monitors=n", how).ok());
  if (how == SessionEvent::kLoad) l.jvm.LivePhase();
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  FakeClass* const loaded = l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader);
  l.jvm.AddMethod(loaded, "f", "()V");
  l.jvm.refuse[failure] = JVMTI_ERROR_INTERNAL;
  for (int i = 0; i < 2; ++i) {
    const control::Answer failed = Tell(l, "command=start");
    if (failure != "GetLoadedClasses") CHECK(failed.outcome == control::Outcome::kFailed);
    static_cast<void>(l.agent.Stop(l.jvm.jni()));
    CHECK(loaded->bytes == file.Bytes());
    CHECK(l.agent.state() == SessionState::kStopped);
  }
  l.jvm.refuse.clear();
  const control::Answer started = Tell(l, "command=start");
  INFO(started.message);
  CHECK(started.outcome == control::Outcome::kDone);
  CHECK(loaded->bytes != file.Bytes());
  CHECK(Tell(l, "command=stop").outcome == control::Outcome::kDone);
  CHECK(loaded->bytes == file.Bytes());
  // The agent's thread has ended, which defines classes, too.
  std::vector<std::string> defined = l.jvm.defined;
  std::sort(defined.begin(), defined.end());
  CHECK(std::adjacent_find(defined.begin(), defined.end()) == defined.end());  // none twice
}

TEST_CASE("a program that ends during its first start leaves no file") {
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  l.jvm.AddMethod(l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader), "f", "()V");
  const auto files = [&] {
    return std::distance(fs::directory_iterator(l.folder.path()), fs::directory_iterator());
  };
  std::string command = "command=start";
  ptrdiff_t files_before = 0, files_after = -1;
  // In the middle of the start; in a real JVM this is on another thread.
  l.jvm.on_retransform = [&] {
    files_before = files();
    l.agent.OnVmDeath(l.jvm.jni());
    files_after = files();
  };
  SECTION("with the session's file") {}
  SECTION("with a file of its own") { command += ",out=" + (l.folder / "own.iprof"); }
  CHECK(Tell(l, command).message == "the program is ending");
  CHECK(l.agent.state() == SessionState::kEnded);
  CHECK(l.Says("no profile was written: the program ended while the recording was being started"));
  CHECK(files_before > 0);
  CHECK(files_after == 0);
  CHECK(fs::is_empty(l.folder.path()));
}

TEST_CASE("a start that the program's end makes fail says that the program is ending") {
  LoadedAgent l;
  REQUIRE(l.Load("start=n,jdk=n,branches=n,receivers=n,monitors=n").ok());
  l.jvm.LivePhase();
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  l.jvm.AddMethod(l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader), "f", "()V");
  l.jvm.refuse["enable ThreadStart"] = JVMTI_ERROR_WRONG_PHASE;
  CHECK(Tell(l, "command=start").message.find("WRONG_PHASE (112)") != std::string::npos);
  CHECK(l.agent.state() == SessionState::kStopped);
  l.jvm.refuse.clear();
  // In the middle of the start; in a real JVM this is on another thread.
  l.jvm.on_retransform = [&] {
    if (l.agent.state() == SessionState::kEnded) return;
    l.agent.OnVmDeath(l.jvm.jni());
    l.jvm.refuse["RunAgentThread"] = JVMTI_ERROR_WRONG_PHASE;
  };
  const control::Answer answer = Tell(l, "command=start");
  CHECK(answer.message == "the program is ending");
  CHECK(answer.outcome == control::Outcome::kRefused);
  CHECK(l.agent.state() == SessionState::kEnded);
}

TEST_CASE("a dump that fails after the program's end says that the program is ending") {
  LoadedAgent l;
  std::atomic<bool> ends_now{false};
  std::thread end;
  // In the middle of the dump, on the JVM's thread, which waits for it.
  l.jvm.on_list = [&] {
    if (!ends_now.exchange(false)) return;
    end = std::thread([&] { l.agent.OnVmDeath(l.jvm.jni()); });
    while (l.agent.state() != SessionState::kEnded) std::this_thread::yield();
  };
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  ends_now = true;
  const bool stops = GENERATE(false, true);
  const control::Answer answer =
      Tell(l, stops ? "command=stop,out=/no such folder/x" : "command=dump,out=/no such folder/x");
  REQUIRE(end.joinable());
  end.join();
  CHECK(answer.message == "the program is ending");
  CHECK(answer.outcome == (stops ? control::Outcome::kFailed : control::Outcome::kRefused));
  CHECK(fs::exists(l.out));
}

TEST_CASE("the first command of all is refused if it comes after the program's end") {
  // Not destroyed: the thread of the command may still be leaving it.
  static LoadedAgent& l = *new LoadedAgent;
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  l.jvm.Die();
  const std::string socket = l.folder / "agent";
  ListeningTool tool(socket);
  REQUIRE(l.agent.HearCall(l.jvm.vm(), socket).ok());
  const auto answer = tool.Ask("command=status");
  REQUIRE(answer.ok());
  CHECK(answer->outcome == control::Outcome::kRefused);
  CHECK(answer->end == control::ProgramEnd::kOvertook);
  CHECK(answer->message == "the program is ending");
}

TEST_CASE("with HotSpot's counters no class is changed, and what is missing is said once") {
  LoadedAgent l;
  REQUIRE(l.Load("source=methoddata,samples=n,force=always").ok());
  l.jvm.LivePhase();
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  CHECK(l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader)->bytes == file.Bytes());
  CHECK_FALSE(l.jvm.enabled_events().contains(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK));
  // This JVM is no HotSpot, so the profile has only what is left.
  CHECK(Tell(l, "command=dump").outcome == control::Outcome::kDone);
  CHECK(Tell(l, "command=dump").outcome == control::Outcome::kDone);
  CHECK(fs::exists(l.out));
  const auto lines = l.log.lines();
  CHECK(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
          return line.find(
                     "HotSpot's counters are not in the profile: this JVM has an unknown layout") !=
                 std::string::npos;
        }) == 1);
  const control::Answer reset = Tell(l, "command=reset");
  CHECK(reset.outcome == control::Outcome::kRefused);
  CHECK(reset.message.starts_with("a reset needs source=counters"));
  const control::Answer samples = Tell(l, "command=reset,only=samples");
  CHECK(samples.outcome == control::Outcome::kDone);
  CHECK(samples.message == "the samples so far are forgotten");
  CHECK(Tell(l, "command=stop").message == "no more samples are taken; HotSpot goes on counting");
  CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
  const control::Answer status = Tell(l, "command=status");
  CHECK(status.status->records == std::vector<std::string>{"calls", "branches", "receivers"});
}

TEST_CASE("a harvest needs no session, and leaves none") {
  LoadedAgent l;
  const std::string other = l.folder / "y.iprof";
  const std::string harvest = "command=harvest,out=" + other;
  // This JVM is no HotSpot.
  const control::Answer idle = Tell(l, harvest);
  CHECK(idle.outcome == control::Outcome::kFailed);
  CHECK(idle.message.starts_with("this JVM has an unknown layout"));
  CHECK(l.agent.state() == SessionState::kIdle);
  CHECK(l.jvm.open_environments() == 0);
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  const control::Answer counting = Tell(l, harvest);
  CHECK(counting.outcome == control::Outcome::kRefused);
  CHECK(counting.message.starts_with("the agent counts in this JVM itself"));
  l.jvm.Die();
  CHECK(Tell(l, harvest).message == "the program is ending");
  CHECK_FALSE(fs::exists(other));
}

TEST_CASE("with both sources the named classes are counted, and a stop is final") {
  LoadedAgent l;
  REQUIRE(l.Load("source=both,include=a.*,jdk=n,receivers=n,monitors=n,samples=n").ok());
  l.jvm.LivePhase();
  instrument::AssembledClass counted("a/B");
  counted.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  CHECK(l.jvm.Load("a/B", counted.Bytes(), l.jvm.application_loader)->bytes != counted.Bytes());
  instrument::AssembledClass other("b/B");
  other.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  CHECK(l.jvm.Load("b/B", other.Bytes(), l.jvm.application_loader)->bytes == other.Bytes());
  CHECK(Tell(l, "command=stop").outcome == control::Outcome::kDone);
  const control::Answer again = Tell(l, "command=start");
  CHECK(again.outcome == control::Outcome::kRefused);
  CHECK(again.message.starts_with("with source=both a recording cannot go on after a stop"));
  CHECK(l.agent.state() == SessionState::kStopped);
}

TEST_CASE("a profile is given up if the program ends while HotSpot's counters are read") {
  LoadedAgent l;
  REQUIRE(l.Load("source=methoddata,samples=n,force=always").ok());
  l.jvm.LivePhase();
  bool is_over = true;
  const auto dump = [&] {
    return l.agent.session()->DumpTo(l.jvm.jni(), {.path = l.out}, [&] { return is_over; }).file;
  };
  const auto given_up = dump();
  REQUIRE_FALSE(given_up.ok());
  CHECK(given_up.code() == Code::kUsage);
  CHECK(given_up.message() == "the program is ending");
  CHECK_FALSE(fs::exists(l.out));
  CHECK_FALSE(l.Says("HotSpot's counters are not in the profile"));
  // Otherwise a profile without them is better than none. This JVM is no HotSpot.
  is_over = false;
  CHECK(dump().ok());
  CHECK(fs::exists(l.out));
  // At the end the profile is written all the same, because no other one follows.
  fs::remove(l.out);
  l.jvm.Die();
  CHECK(fs::exists(l.out));
}

TEST_CASE("a JVM that never recorded ends without a profile") {
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  l.jvm.RequestDump();
  l.jvm.Die();
  CHECK_FALSE(fs::exists(l.out));
}

// Gives a command as a tool does.
std::unique_ptr<ListeningTool> Give(LoadedAgent& l, const std::string& verb) {
  static int given = 0;
  const std::string socket = l.folder / ("agent" + std::to_string(++given));
  auto tool = std::make_unique<ListeningTool>(socket);
  REQUIRE(l.agent.HearCall(l.jvm.vm(), socket).ok());
  tool->Say("command=" + verb);
  return tool;
}

control::Answer AnswerTo(const std::unique_ptr<ListeningTool>& tool) {
  const auto answer = tool->Hear();
  REQUIRE(answer.ok());
  return *answer;
}

// Long enough for a command that does not wait.
constexpr int kLongMs = 100;

// Not LivePhase: from here on the command runs, and the JVM of the tests serves one thread at a time.
void Initialise(LoadedAgent& l) { l.agent.OnVmInit(l.jvm.jni(), nullptr); }

TEST_CASE("commands that come before the JVM is initialised wait until the agent is ready") {
  static LoadedAgent& l = *new LoadedAgent;
  REQUIRE(l.Load(kCalls).ok());
  const auto stop = Give(l, "stop");
  CHECK(stop->Waits(kLongMs));
  CHECK(l.agent.state() == SessionState::kRecording);
  Initialise(l);
  CHECK(AnswerTo(stop).outcome == control::Outcome::kDone);
  CHECK(l.agent.state() == SessionState::kStopped);
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  CHECK(l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader)->bytes == file.Bytes());
  const control::Answer started = AnswerTo(Give(l, "start"));
  CHECK(started.message == "the recording is running");
  CHECK(started.outcome == control::Outcome::kDone);
  CHECK(l.jvm.Load("a/C", file.Bytes(), l.jvm.application_loader)->bytes != file.Bytes());
}

TEST_CASE("a start that comes before the JVM is initialised waits, too") {
  static LoadedAgent& l = *new LoadedAgent;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  const auto start = Give(l, "start");
  CHECK(start->Waits(kLongMs));
  CHECK(l.agent.state() == SessionState::kStopped);
  Initialise(l);
  CHECK(AnswerTo(start).outcome == control::Outcome::kDone);
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  CHECK(l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader)->bytes != file.Bytes());
  CHECK_FALSE(l.Says("no more classes are counted"));
}

TEST_CASE("a JVM that ends before it is initialised refuses the commands that wait") {
  static LoadedAgent& l = *new LoadedAgent;
  REQUIRE(l.Load(kCalls).ok());
  const auto stop = Give(l, "stop");
  l.jvm.Die();
  CHECK(AnswerTo(stop).message == "the program is ending");
}

TEST_CASE("commands do not wait where the agent is attached") {
  static LoadedAgent& l = *new LoadedAgent;
  REQUIRE(l.Load("start=n," + std::string(kCalls), SessionEvent::kAttach).ok());
  CHECK(AnswerTo(Give(l, "status")).outcome == control::Outcome::kDone);
}

TEST_CASE("commands do not wait for a JVM whose start went on without the agent") {
  static LoadedAgent& l = *new LoadedAgent;
  l.jvm.refuse["enable VMInit"] = JVMTI_ERROR_INTERNAL;
  REQUIRE_FALSE(l.Load("start=n," + std::string(kCalls)).ok());
  CHECK(AnswerTo(Give(l, "status")).status->state == "idle");
}

TEST_CASE("a duration ends the recording with a profile") {
  // Not destroyed: the thread of the command may still be leaving it.
  static LoadedAgent& l = *new LoadedAgent;
  REQUIRE(l.Load("duration=1ms," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  for (int i = 0; i < 60'000 && l.agent.state() != SessionState::kStopped; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(l.agent.state() == SessionState::kStopped);
  for (int i = 0; i < 60'000 && !fs::exists(l.out); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(fs::exists(l.out));
}

TEST_CASE("a start with a duration stops by itself, and a later one does not") {
  static LoadedAgent& l = *new LoadedAgent;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  CHECK(Tell(l, "command=start,duration=1ms").outcome == control::Outcome::kDone);
  for (int i = 0; i < 60'000 && !fs::exists(l.out); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(l.agent.state() == SessionState::kStopped);
  CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(l.agent.state() == SessionState::kRecording);
}

TEST_CASE("what was written after a stop is not written again at the program's end") {
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const std::string other = l.folder / "other.iprof";
  CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
  bool is_written_at_end = false;
  SECTION("it was") {
    CHECK(Tell(l, "command=dump,out=" + other + ".gz").outcome == control::Outcome::kDone);
    std::ifstream compressed(other + ".gz");
    CHECK(compressed.get() == 0x1f);
    CHECK(Tell(l, "command=stop,out=" + other).message.ends_with(other));
  }
  SECTION("it was written before the stop") {
    CHECK(Tell(l, "command=dump,out=" + other).outcome == control::Outcome::kDone);
    CHECK(Tell(l, "command=stop").outcome == control::Outcome::kDone);
    is_written_at_end = true;
  }
  SECTION("more was recorded since") {
    CHECK(Tell(l, "command=stop,out=" + other).outcome == control::Outcome::kDone);
    CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
    CHECK(Tell(l, "command=stop").outcome == control::Outcome::kDone);
    is_written_at_end = true;
  }
  CHECK(fs::exists(other));
  l.jvm.Die();
  CHECK(fs::exists(l.out) == is_written_at_end);
}

TEST_CASE("a recording may have a file of its own, until its profile is written after a stop") {
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const std::string own = l.folder / "own.iprof";
  CHECK(Tell(l, "command=start,out=" + own).status->out == own);
  bool is_own = true;
  SECTION("the program ends") {}
  SECTION("after a stop") { Tell(l, "command=stop"); }
  SECTION("a start that is refused does not change it") { Tell(l, "command=start,out=/x"); }
  SECTION("a later recording does not have it") {
    CHECK(Tell(l, "command=stop,out=" + own + ".2").status->out == l.out);
    Tell(l, "command=start");
    is_own = false;
  }
  l.jvm.Die();
  CHECK(fs::exists(own) == is_own);
  CHECK(fs::exists(l.out) == !is_own);
}

}  // namespace
}  // namespace iprof::vm
