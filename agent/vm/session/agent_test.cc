// The agent's life, from load to the end of the program, against a JVM that a test drives.
#include "agent/vm/session/agent.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/vm/session/loaded_agent.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a session records from its load to the program's end, and writes its profile then") {
  LoadedAgent l;
  REQUIRE(l.Load(kCalls).ok());
  CHECK(l.agent.state() == SessionState::kRecording);
  l.jvm.LivePhase();
  instrument::AssembledClass file("a/B");
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});
  CHECK(l.jvm.Load("a/B", file.Bytes(), l.jvm.application_loader)->bytes != file.Bytes());
  l.jvm.Die();
  CHECK(l.agent.state() == SessionState::kEnded);
  CHECK_FALSE(l.agent.HasEndedUnbegun());
  CHECK(fs::exists(l.out));
  // The JVM may in effect report it twice: by another environment's callback, or by an unload.
  fs::remove(l.out);
  l.jvm.Die();
  l.agent.OnUnload();
  CHECK_FALSE(fs::exists(l.out));
}

// Whether the threads of the agent end. They may need a moment.
bool EndsThreads(const FakeJvm& jvm) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (jvm.agent_threads > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  return jvm.agent_threads == 0;
}

TEST_CASE("when the JVM has ended, no thread of the agent is left that its exit would wait for") {
  LoadedAgent l;
  REQUIRE(l.Load(kCalls).ok());
  l.jvm.LivePhase();
  CHECK(l.jvm.agent_threads > 0);
  l.jvm.Die();
  CHECK(EndsThreads(l.jvm));
}

TEST_CASE("a program that ends during a start leaves no thread of the agent either") {
  LoadedAgent l;
  FakeClass* const earlier = l.jvm.AddClass("a/Earlier", l.jvm.application_loader);
  l.jvm.AddMethod(earlier, "f", "()V");
  int threads = 0;
  // In the middle of the start; in a real JVM this is on another thread.
  const auto end = [&] {
    if (l.agent.state() == SessionState::kEnded) return;
    threads = l.jvm.agent_threads;
    l.agent.OnVmDeath(l.jvm.jni());
  };
  SECTION("an attach") {
    l.jvm.on_retransform = end;
    CHECK(l.Load(kCalls, SessionEvent::kAttach).ok());
  }
  SECTION("a first start") {
    REQUIRE(l.Load("start=n," + std::string(kCalls), SessionEvent::kAttach).ok());
    l.jvm.on_retransform = end;
    CHECK(Tell(l, "command=start").message == "the program is ending");
  }
  SECTION("a later start") {
    REQUIRE(l.Load(kCalls, SessionEvent::kAttach).ok());
    REQUIRE(l.agent.Stop(l.jvm.jni()).ok());
    CHECK(EndsThreads(l.jvm));
    l.jvm.on_retransform = end;
    CHECK(Tell(l, "command=start").message == "the program is ending");
  }
  CHECK(threads > 0);
  CHECK(EndsThreads(l.jvm));
}

TEST_CASE("a run that recorded nothing leaves an earlier profile alone, and says so") {
  LoadedAgent l;
  REQUIRE(l.Load("jdk=n,branches=n,receivers=n,monitors=n,samples=n").ok());
  l.jvm.LivePhase();
  std::ofstream(l.out) << "precious";
  l.jvm.RequestDump();
  l.jvm.Die();
  CHECK(fs::file_size(l.out) == 8);
  CHECK(l.Says("no profile was written: nothing was recorded (force=always writes it anyway)"));
}

TEST_CASE("a process that ends without the JVM's end says that the profile is lost") {
  LoadedAgent l;
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

// The status of a process that runs this with an agent and then exits with 3, without the JVM's end.
template <typename Body>
int StatusAfter(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    {
      LoadedAgent l;
      body(l);
      l.agent.OnProcessExit();
    }
    std::exit(3);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST_CASE("a process that ends without the JVM's end shows it by its status if that is asked for") {
#ifdef __SANITIZE_THREAD__
  WARN("left out: ThreadSanitizer cannot follow the child of a process that has threads");
  return;
#endif
  const std::string exits = std::string(kCalls) + ",onwritefailure=exit";
  const auto run = [](LoadedAgent& l, const std::string& options) {
    if (!l.Load(options).ok()) _exit(1);
    l.jvm.LivePhase();
  };
  CHECK(StatusAfter([&](LoadedAgent& l) { run(l, exits); }) == 74);
  CHECK(StatusAfter([&](LoadedAgent& l) { run(l, std::string(kCalls)); }) == 3);
  CHECK(StatusAfter([&](LoadedAgent& l) { run(l, exits + ",doe=n"); }) == 3);
  CHECK(StatusAfter([&](LoadedAgent& l) { run(l, exits + ",start=n"); }) == 3);
  CHECK(StatusAfter([&](LoadedAgent& l) {
          run(l, exits);
          Tell(l, "command=stop");
          Tell(l, "command=dump");
        }) == 3);
  CHECK(StatusAfter([&](LoadedAgent& l) {
          if (!l.Load(exits, SessionEvent::kAttach).ok()) _exit(1);
        }) == 74);
  // The JVM itself ends the process before any program has begun.
  CHECK(StatusAfter([&](LoadedAgent& l) {
          if (!l.Load(exits).ok()) _exit(1);
        }) == 3);
}

TEST_CASE("a process that ends without the JVM's end gives up the names of its files") {
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  Tell(l, "command=start,out=" + (l.folder / "own.iprof"));
  CHECK_FALSE(fs::is_empty(l.folder.path()));
  l.agent.OnProcessExit();
  CHECK(fs::is_empty(l.folder.path()));
}

TEST_CASE("a recording with a file of its own has it to itself") {
  LoadedAgent l;
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  const std::string own = l.folder / "y.iprof";
  const std::string numbered = l.folder / "y.1.iprof";
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
  LoadedAgent l;
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
  LoadedAgent l;
  {
    const Agent::Attempt attempt(l.agent, SessionEvent::kAttach);
    CHECK(attempt.is_legal());
    CHECK_FALSE(Agent::Attempt(l.agent, SessionEvent::kAttach).is_legal());
  }
  CHECK(l.agent.state() == SessionState::kIdle);
  CHECK(l.Load(kCalls).ok());
}

TEST_CASE("a start that fails says why, stops what was begun, and leaves room for another one") {
  LoadedAgent l;
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
  LoadedAgent l;
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
        "JVM that is started again");
}

TEST_CASE("a request writes a profile while the program runs, and only then") {
  LoadedAgent l;
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
  LoadedAgent l;
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
TEST_CASE("a control path that is taken refuses the load") {
  LoadedAgent l;
  const std::string taken = l.folder / "taken";
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
  LoadedAgent l;
  FakeClass* const earlier = l.jvm.AddClass("a/Earlier", l.jvm.application_loader);
  l.jvm.AddMethod(earlier, "f", "()V");
  const std::string path = l.folder / "a.sock";
  const std::string options = "control=" + path + "," + std::string(kCalls);
  int client = -1;
  l.jvm.on_retransform = [&] {
    if (client >= 0) return;
    client = SendTo(path, "iprof/3 command=status\n");
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
  LoadedAgent l;
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
  CHECK(fs::is_empty(l.folder.path()));  // no lock either
  CHECK(l.Says("no profile was written: the program ended while the agent was being loaded"));
  CHECK(l.agent.HasEndedUnbegun());
}

TEST_CASE("with doe=n the program's end writes nothing") {
  LoadedAgent l;
  REQUIRE(l.Load("doe=n," + std::string(kCalls)).ok());
  l.jvm.Die();
  CHECK_FALSE(fs::exists(l.out));
  CHECK(l.Says("doe=n"));
}

TEST_CASE("early VMStart is asked for where counting starts with the first bytecode") {
  LoadedAgent l;
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
  LoadedAgent l;
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
  LoadedAgent l;
  REQUIRE(l.Load(kCalls).ok());
  CHECK(l.jvm.environments().front().capabilities.can_generate_early_vmstart == 0);
  CHECK_FALSE(l.jvm.enabled_events().contains(JVMTI_EVENT_VM_START));
}

}  // namespace
}  // namespace iprof::vm
