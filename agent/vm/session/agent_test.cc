// The agent's life, from load to the end of the program, against a JVM that a test drives.
#include "agent/vm/session/agent.h"

#include <catch2/catch.hpp>
#include <filesystem>

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

constexpr std::string_view kCalls = "jdk=n,branches=n,receivers=n,monitors=n,samples=n";

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

TEST_CASE("a stop writes the profile and leaves nothing that runs") {
  Loaded l;
  CHECK(l.agent.Stop(l.jvm.jni()).message() == "nothing is being recorded");
  REQUIRE(l.Load(kCalls, SessionEvent::kAttach).ok());
  CHECK(l.agent.Stop(l.jvm.jni()).ok());
  CHECK(l.agent.state() == SessionState::kIdle);
  CHECK(fs::exists(l.out));
  CHECK(l.jvm.enabled_events().empty());
  CHECK(l.jvm.open_environments() == 0);
  CHECK(l.agent.session() == nullptr);
  CHECK(l.agent.Stop(l.jvm.jni()).message() == "nothing is being recorded");
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

TEST_CASE("without it nobody hears of VMStart") {
  Loaded l;
  REQUIRE(l.Load(kCalls).ok());
  CHECK(l.jvm.environments().front().capabilities.can_generate_early_vmstart == 0);
  CHECK_FALSE(l.jvm.enabled_events().contains(JVMTI_EVENT_VM_START));
}

}  // namespace
}  // namespace iprof::vm
