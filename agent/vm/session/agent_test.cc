// The agent's life, from load to the end of the program, against a JVM that a test drives.
#include "agent/vm/session/agent.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "agent/instrument/testing/assembled_class.h"
#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/settings/temporary_log.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

// A folder for profiles. It is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "iprof-agent.XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Loaded {
  FakeJvm jvm;
  TemporaryFolder folder;
  TemporaryLog log;
  Agent agent;
  const fs::path out = folder.path() / "x.iprof";

  ~Loaded() {
    // Ends the session's threads before the JVM is destroyed.
    agent.OnVmDeath(jvm.jni());
  }

  Status Load(std::string_view text, SessionEvent event = SessionEvent::kLoad) {
    Agent::Attempt attempt(agent, event);
    REQUIRE(attempt.is_legal());
    auto parsed = ParseOptions(text);
    REQUIRE(parsed.ok());
    auto file_log = std::make_unique<Log>();
    file_log->SetVerbosity(2);
    REQUIRE(file_log->Open(log.path()).ok());
    return attempt.Start(jvm.vm(), std::move(*JvmtiEnvironment::Open(jvm.vm())),
                         {.options = parsed->options, .out_path = out.string()},
                         std::move(file_log));
  }
  bool Says(std::string_view part) const {
    for (const std::string& line : log.lines())
      if (line.find(part) != std::string::npos) return true;
    return false;
  }
};

// force=always: nothing runs in this JVM, so nothing is counted.
constexpr std::string_view kCalls =
    "jdk=n,branches=n,receivers=n,monitors=n,samples=n,force=always";

TEST_CASE("a session records from its load to the program's end, and writes its profile then") {
  Loaded l;
  REQUIRE(l.Load(kCalls).ok());
  CHECK(l.agent.state() == SessionState::kRecording);
  l.jvm.LivePhase();
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  CHECK(l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader)->bytes != file.Bytes());
  l.jvm.Die();
  CHECK(l.agent.state() == SessionState::kEnded);
  CHECK(fs::exists(l.out));
  // The JVM may in effect report it twice: by another environment's callback, or by an unload.
  fs::remove(l.out);
  l.jvm.Die();
  l.agent.OnUnload();
  CHECK_FALSE(fs::exists(l.out));
}

TEST_CASE("a run that recorded nothing leaves an earlier profile alone, and says so") {
  Loaded l;
  REQUIRE(l.Load("jdk=n,branches=n,receivers=n,monitors=n,samples=n").ok());
  l.jvm.LivePhase();
  std::ofstream(l.out) << "precious";
  l.jvm.RequestDump();
  l.jvm.Die();
  CHECK(fs::file_size(l.out) == 8);
  CHECK(l.Says("no profile was written: nothing was recorded (force=always writes it anyway)"));
}

TEST_CASE("a process that ends without the JVM's end says that the profile is lost") {
  Loaded l;
  REQUIRE(l.Load(kCalls).ok());
  SECTION("by native code") {
    l.jvm.LivePhase();
    l.agent.OnProcessExit();
    CHECK(l.Says("no profile was written: the process ended without the JVM's own end"));
  }
  SECTION("after the JVM's end there is nothing to say") {
    l.jvm.LivePhase();
    l.jvm.Die();
    const size_t lines = l.log.lines().size();
    l.agent.OnProcessExit();
    CHECK(l.log.lines().size() == lines);
  }
}

TEST_CASE("a recording with a file of its own has it to itself") {
  Loaded l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const std::string own = (l.folder.path() / "y.iprof").string();
  const std::string numbered = (l.folder.path() / "y.1.iprof").string();
  std::optional<OutClaim> others = std::move(*OutClaim::Take(own));
  const auto tell = [&](const std::string& text) {
    return l.agent.Execute(l.jvm.jni(), *control::ParseCommand(text));
  };
  const control::Answer started = tell("command=start,out=" + own);
  CHECK(started.message == "the recording is running; another running process writes " + own +
                               ", so this one writes " + numbered);
  CHECK(started.status->out == numbered);
  CHECK(OutClaim::Take(own)->path() != numbered);  // it is taken
  CHECK(tell("command=dump").message == "wrote " + numbered);
  CHECK(tell("command=dump,out=" + numbered).message == "wrote " + numbered);
  others.reset();
  l.jvm.Die();
  CHECK(OutClaim::Take(numbered)->path() == numbered);  // it is free again
}

TEST_CASE("a second load is told that the first one stands, and changes nothing") {
  Loaded l;
  REQUIRE(l.Load(kCalls).ok());
  const auto before = l.agent.session();
  {
    const Agent::Attempt again(l.agent, SessionEvent::kAttach);
    CHECK_FALSE(again.is_legal());
    CHECK(again.answer() == "already loaded in this JVM; the options of the first load stand");
  }
  CHECK(l.agent.session() == before);
  CHECK(l.agent.state() == SessionState::kRecording);
}

TEST_CASE("a load that is given up leaves room for another one") {
  Loaded l;
  {
    const Agent::Attempt attempt(l.agent, SessionEvent::kAttach);
    CHECK(attempt.is_legal());
    CHECK_FALSE(Agent::Attempt(l.agent, SessionEvent::kAttach).is_legal());
  }
  CHECK(l.agent.state() == SessionState::kIdle);
  CHECK(l.Load(kCalls).ok());
}

TEST_CASE("a start that fails says why, stops what was begun, and leaves room for another one") {
  Loaded l;
  const std::string event =
      GENERATE(as<std::string>(), "VMDeath", "ObjectFree", "ClassLoad", "NativeMethodBind",
               "ThreadStart", "VMInit", "DataDumpRequest");
  INFO(event);
  l.jvm.refuse["enable " + event] = JVMTI_ERROR_INTERNAL;
  const Status status = l.Load("receivers=n,monitors=n");
  CHECK(status.message() == "cannot enable the JVMTI event " + event + ": INTERNAL (113)");
  CHECK(l.agent.state() == SessionState::kIdle);
  CHECK(l.agent.session() == nullptr);
  CHECK(l.jvm.enabled_events().empty());
  CHECK(l.jvm.open_environments() == 0);
  l.jvm.refuse.clear();
  CHECK(l.Load("receivers=n,monitors=n").ok());
  CHECK(l.agent.state() == SessionState::kRecording);
}

TEST_CASE("an attach that fails after classes were changed gives them their own code back") {
  Loaded l;
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  FakeClass* const loaded = l.jvm.AddClass("a/B", l.jvm.application_loader);
  l.jvm.AddMethod(loaded, "f", "()V");
  loaded->bytes = file.Bytes();
  const std::string failure =
      GENERATE(as<std::string>(), "RunAgentThread", "enable DataDumpRequest");
  INFO(failure);
  l.jvm.refuse[failure] = JVMTI_ERROR_INTERNAL;
  CHECK_FALSE(l.Load(kCalls, SessionEvent::kAttach).ok());
  // It did have probes.
  CHECK_THAT(l.jvm.retransformed, Catch::VectorContains(std::string("a/B")));
  CHECK(loaded->bytes == file.Bytes());
  CHECK(l.agent.state() == SessionState::kIdle);
  CHECK(l.agent.session() == nullptr);
  CHECK(l.jvm.enabled_events().empty());
  // The classes of the first attempt cannot be defined again, and the user is told so.
  l.jvm.refuse.clear();
  l.jvm.refuse["DefineClass"] = JVMTI_ERROR_INTERNAL;
  CHECK(l.Load(kCalls, SessionEvent::kAttach).message() ==
        "an earlier start of the agent failed and left its classes in this JVM: counting needs a "
        "JVM that is started anew");
}

TEST_CASE("a request writes a profile while the program runs, and only then") {
  Loaded l;
  l.agent.OnDumpRequest(l.jvm.jni());  // before any load: a no-op
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  l.jvm.RequestDump();
  CHECK(fs::exists(l.out));
  CHECK(l.agent.state() == SessionState::kRecording);
  l.jvm.Die();
  fs::remove(l.out);
  l.jvm.RequestDump();
  CHECK_FALSE(fs::exists(l.out));
  CHECK(l.Says("dump is ignored while ended: the program is ending"));
}

TEST_CASE("a stop gives classes their code back and keeps what was recorded; a start continues") {
  Loaded l;
  CHECK(l.agent.Stop(l.jvm.jni()).status().message() == "nothing is being recorded");
  CHECK(l.agent.Start(l.jvm.jni()).status().message() == "nothing is being recorded");
  const SessionEvent how = GENERATE(SessionEvent::kLoad, SessionEvent::kAttach);
  REQUIRE(l.Load(kCalls, how).ok());
  if (how == SessionEvent::kLoad) l.jvm.LivePhase();
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  FakeClass* const counted = l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader);
  REQUIRE(counted->bytes != file.Bytes());
  CHECK(l.agent.Start(l.jvm.jni()).status().message() == "the recording is running already");
  for (int round = 0; round < 3; ++round) {
    INFO(round);
    const Result<std::string> stopped = l.agent.Stop(l.jvm.jni());
    REQUIRE(stopped.ok());
    INFO(*stopped);
    CHECK(stopped->find(" have their own code again") != std::string::npos);
    CHECK(counted->bytes == file.Bytes());
    CHECK(l.agent.state() == SessionState::kStopped);
    CHECK(l.agent.session() != nullptr);
    // No class is counted, no event of loading is asked for.
    CHECK(l.jvm.Load("a/C", file.Bytes(), l.jvm.application_loader)->bytes == file.Bytes());
    CHECK_FALSE(l.jvm.enabled_events().contains(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK));
    CHECK_FALSE(l.jvm.enabled_events().contains(JVMTI_EVENT_CLASS_PREPARE));
    CHECK(l.agent.Stop(l.jvm.jni()).status().message() == "nothing is being recorded");
    fs::remove(l.out);
    l.agent.OnDumpRequest(l.jvm.jni());
    CHECK(fs::exists(l.out));
    REQUIRE(l.agent.Start(l.jvm.jni()).ok());
    CHECK(l.agent.state() == SessionState::kRecording);
    CHECK(counted->bytes != file.Bytes());
  }
}

control::Answer Tell(Loaded& l, std::string_view text) {
  const auto command = control::ParseCommand(text);
  REQUIRE(command.ok());
  return l.agent.Execute(l.jvm.jni(), *command);
}

TEST_CASE("commands say what they did, or why not") {
  Loaded l;
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  const std::string other = (l.folder.path() / "y.iprof").string();
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
  Loaded l;
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

TEST_CASE("a command to start that failed can be given again") {
  Loaded l;
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

TEST_CASE("with HotSpot's counters no class is changed, and what is missing is said once") {
  Loaded l;
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
  CHECK(Tell(l, "command=stop").message == "no more samples are taken; HotSpot goes on counting");
  CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
  const control::Answer status = Tell(l, "command=status");
  CHECK(status.status->records == std::vector<std::string>{"calls", "branches", "receivers"});
}

TEST_CASE("a harvest needs no session, and leaves none") {
  Loaded l;
  const std::string other = (l.folder.path() / "y.iprof").string();
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
  Loaded l;
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

TEST_CASE("a JVM that never recorded ends without a profile") {
  Loaded l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  l.jvm.RequestDump();
  l.jvm.Die();
  CHECK_FALSE(fs::exists(l.out));
}

TEST_CASE("a duration ends the recording with a profile") {
  // Not destroyed: the thread of the command may still be leaving it.
  static Loaded& l = *new Loaded;
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
  static Loaded& l = *new Loaded;
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
  Loaded l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const std::string other = (l.folder.path() / "other.iprof").string();
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
  Loaded l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const std::string own = (l.folder.path() / "own.iprof").string();
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

TEST_CASE("a control path that is taken refuses the load") {
  Loaded l;
  const std::string taken = (l.folder.path() / "taken").string();
  std::ofstream(taken) << "data";
  const Status status = l.Load("control=" + taken + "," + std::string(kCalls));
  CHECK(status.message() == "option 'control': '" + taken +
                                "' exists already, and is not a socket that a killed JVM left");
  CHECK(l.agent.state() == SessionState::kIdle);
  CHECK(fs::exists(taken));
}

// A client of a control socket that has sent its command.
int SendTo(const std::string& path, const std::string& line) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  send(client, line.data(), line.size(), MSG_NOSIGNAL);
  return client;
}

std::string AnswerTo(int client) {
  std::string answer;
  char bytes[256];
  for (ssize_t got = 0; (got = recv(client, bytes, sizeof bytes, 0)) > 0;)
    answer.append(bytes, static_cast<size_t>(got));
  close(client);
  return answer;
}

TEST_CASE("commands that come while the agent is being loaded wait, or are dropped with it") {
  Loaded l;
  FakeClass* const earlier = l.jvm.AddClass("a/Earlier", l.jvm.application_loader);
  l.jvm.AddMethod(earlier, "f", "()V");
  const std::string path = (l.folder.path() / "a.sock").string();
  const std::string options = "control=" + path + "," + std::string(kCalls);
  int client = -1;
  l.jvm.on_retransform = [&] {
    if (client >= 0) return;
    client = SendTo(path, "command=status\n");
    CHECK(Tell(l, "command=stop").message == "the agent is still being loaded");
    CHECK(Tell(l, "command=status").status->state == "starting");
  };
  SECTION("it starts") {
    REQUIRE(l.Load(options, SessionEvent::kAttach).ok());
    CHECK(AnswerTo(client).find("\"outcome\":\"done\"") != std::string::npos);
  }
  SECTION("it fails") {
    l.jvm.refuse["enable DataDumpRequest"] = JVMTI_ERROR_INTERNAL;
    REQUIRE_FALSE(l.Load(options, SessionEvent::kAttach).ok());
    REQUIRE(client >= 0);
    CHECK(AnswerTo(client).empty());
    CHECK_FALSE(fs::exists(path));
    CHECK(Tell(l, "command=status").status->state == "idle");
    CHECK(Tell(l, "command=reset").outcome == control::Outcome::kRefused);
    l.jvm.refuse.clear();
    client = -1;
    REQUIRE(l.Load(options, SessionEvent::kAttach).ok());
    CHECK(AnswerTo(client).find("\"outcome\":\"done\"") != std::string::npos);
  }
}

TEST_CASE("a program that ends while the agent is being loaded has no profile") {
  Loaded l;
  FakeClass* const earlier = l.jvm.AddClass("a/Earlier", l.jvm.application_loader);
  l.jvm.AddMethod(earlier, "f", "()V");
  bool ended = false;
  // In the middle of the start; in a real JVM this is on another thread.
  l.jvm.on_retransform = [&] {
    ended = true;
    l.agent.OnVmDeath(l.jvm.jni());
  };
  CHECK(l.Load(kCalls, SessionEvent::kAttach).ok());
  REQUIRE(ended);
  CHECK(l.agent.state() == SessionState::kEnded);
  CHECK_FALSE(fs::exists(l.out));
  CHECK(l.Says("no profile was written: the program ended while the agent was being loaded"));
}

TEST_CASE("with doe=n the program's end writes nothing") {
  Loaded l;
  REQUIRE(l.Load("doe=n," + std::string(kCalls)).ok());
  l.jvm.Die();
  CHECK_FALSE(fs::exists(l.out));
  CHECK(l.Says("doe=n"));
}

TEST_CASE("early VMStart is asked for where counting starts with the first bytecode") {
  Loaded l;
  REQUIRE(l.Load("branches=n,receivers=n,monitors=n,samples=n").ok());
  CHECK(l.jvm.environments().front().capabilities.can_generate_early_vmstart == 1);
  l.jvm.StartPhase();
  CHECK(l.jvm.Find("java/lang/IprofCounters0") != nullptr);
  l.jvm.LivePhase();
  CHECK_FALSE(l.Says("no more classes are counted"));
}

// HotSpot 21 to 25 would keep data of the main thread that does not go with it (JDK-8362203).
TEST_CASE(
    "no event that HotSpot filters by thread is enabled before the main thread has its object") {
  const std::string more = GENERATE(as<std::string>(), "", ",samples=n", ",start=n");
  Loaded l;
  REQUIRE(l.Load("branches=n,receivers=n,monitors=n" + more).ok());
  l.jvm.StartPhase();
  for (const FakeEnvironment& environment : l.jvm.environments()) {
    if (environment.capabilities.can_generate_early_vmstart == 0) continue;
    for (const jvmtiEvent event : {JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE,
                                   JVMTI_EVENT_THREAD_END, JVMTI_EVENT_EXCEPTION})
      CHECK_FALSE(environment.enabled.contains(event));
  }
  l.jvm.LivePhase();
  CHECK(l.jvm.enabled_events().contains(JVMTI_EVENT_CLASS_LOAD) == (more != ",start=n"));
}

TEST_CASE("without it, VMStart is not reported") {
  Loaded l;
  REQUIRE(l.Load(kCalls).ok());
  CHECK(l.jvm.environments().front().capabilities.can_generate_early_vmstart == 0);
  CHECK_FALSE(l.jvm.enabled_events().contains(JVMTI_EVENT_VM_START));
}

}  // namespace
}  // namespace iprof::vm
