// The agent of this process, loaded into a JVM that a test drives.
#include "agent/vm/session/load.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "agent/vm/session/control/listening_tool.h"
#include "agent/vm/session/loaded_agent.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

// Leads stderr to a file while it lives.
class RedirectedStderr {
 public:
  explicit RedirectedStderr(const fs::path& path) : before_(dup(STDERR_FILENO)) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    dup2(file, STDERR_FILENO);
    close(file);
  }
  ~RedirectedStderr() {
    dup2(before_, STDERR_FILENO);
    close(before_);
  }
  RedirectedStderr(const RedirectedStderr&) = delete;
  RedirectedStderr& operator=(const RedirectedStderr&) = delete;

 private:
  const int before_;
};

// Before the test that loads it. As after `iprof harvest --attach`.
TEST_CASE("a library without an agent says so to the tool, and prints nothing") {
  static FakeJvm& jvm = *new FakeJvm;
  const TemporaryFolder folder;
  const fs::path printed = folder.path() / "stderr";
  ListeningTool tool(folder / "agent");
  const std::string call = control::CallTo(folder / "agent");
  jint code = JNI_ERR;
  {
    const RedirectedStderr to(printed);
    code = LoadAgent(jvm.vm(), call.c_str(), LoadReason::kAttach);
  }
  CHECK(code == JNI_OK);
  CHECK(fs::file_size(printed) == 0);
  const auto answer = tool.Ask("command=status");
  REQUIRE(answer.ok());
  CHECK(answer->outcome == control::Outcome::kRefused);
  CHECK(answer->command == "status");
  REQUIRE(answer->status.has_value());
  CHECK(answer->status->state == "idle");  // so that 'iprof profile' knows that it may load it
  CHECK(
      answer->message.starts_with("the agent's library is loaded, and the agent was not started"));
  {
    // A tool of another release.
    const RedirectedStderr to(printed);
    code = LoadAgent(jvm.vm(), "command=status", LoadReason::kAttach);
  }
  CHECK(code == JNI_ERR);
  CHECK(fs::file_size(printed) > 0);
}

TEST_CASE("a load that only= leaves out is told so") {
  static FakeJvm& jvm = *new FakeJvm;
  const TemporaryFolder folder;
  jvm.properties = {{"sun.java.command", "com.acme.Main"}};
  ListeningTool tool(folder / "agent");
  const std::string options = "only=com.other.*,reply=" + (folder / "agent");
  CHECK(LoadAgent(jvm.vm(), options.c_str(), LoadReason::kAttach) == JNI_OK);
  const auto answer = tool.Ask();
  REQUIRE(answer.ok());
  CHECK(answer->outcome == control::Outcome::kRefused);
  CHECK(
      answer->message ==
      "'com.acme.Main' matches no pattern of only=com.other.*, so this JVM runs without the agent");
  CHECK(Agent::Get().state() == SessionState::kIdle);
}

// The only test that loads it: a process has one agent, and after its end there is no other.
TEST_CASE("an attach that the program's end or another load overtakes is told so") {
  static FakeJvm& jvm = *new FakeJvm;  // not destroyed: the agent looks at it when the process ends
  const TemporaryFolder folder;
  jvm.properties = {{"java.vm.name", "OpenJDK 64-Bit Server VM"},
                    {"java.vm.version", "17.0.15+6-Debian-1"}};
  jvm.AddMethod(jvm.AddClass("a/Earlier", jvm.application_loader), "f", "()V");
  const auto in_folder = [&](const std::string& name) { return folder / name; };
  ListeningTool tool(in_folder("answer"));
  ListeningTool second_tool(in_folder("second"));
  ListeningTool third_tool(in_folder("third"));
  const std::string second = "out=" + in_folder("y.iprof") + ",reply=" + in_folder("second");
  const std::string third = "out=" + in_folder("z.iprof") + ",reply=" + in_folder("third");
  // In the middle of the start; in a real JVM this is on another thread.
  jvm.on_retransform = [&] {
    if (Agent::Get().state() == SessionState::kEnded) return;
    CHECK(LoadAgent(jvm.vm(), second.c_str(), LoadReason::kAttach) == JNI_OK);
    Agent::Get().OnVmDeath(jvm.jni());
    CHECK(LoadAgent(jvm.vm(), third.c_str(), LoadReason::kAttach) == JNI_OK);
  };
  const std::string options = std::string(kCalls) + ",out=" + in_folder("x.iprof") +
                              ",log=" + in_folder("log") + ",reply=" + in_folder("answer");
  CHECK_FALSE(Agent::Get().HasEndedUnbegun());
  CHECK(LoadAgent(jvm.vm(), options.c_str(), LoadReason::kAttach) == JNI_ERR);
  CHECK(Agent::Get().HasEndedUnbegun());
  const auto answer = tool.Ask();
  REQUIRE(answer.ok());
  CHECK(answer->outcome == control::Outcome::kRefused);
  CHECK(answer->command == "attach");
  CHECK(answer->message == "the program is ending");
  CHECK_FALSE(fs::exists(in_folder("x.iprof")));
  const auto late = second_tool.Ask();
  REQUIRE(late.ok());
  CHECK(late->outcome == control::Outcome::kTaken);
  CHECK(late->message == "already loaded in this JVM; the options of the first load stand");
  REQUIRE(late->status.has_value());
  CHECK(late->status->state == "starting");
  const auto later = third_tool.Ask();
  REQUIRE(later.ok());
  CHECK(later->outcome == control::Outcome::kRefused);
  CHECK(later->message == "the program is ending");
  jvm.on_retransform = {};
}

}  // namespace
}  // namespace iprof::vm
