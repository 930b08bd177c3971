// The agent of this process, loaded into a JVM that a test drives.
#include "agent/vm/session/load.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "agent/vm/session/loaded_agent.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

// The only test that loads it: a process has one agent, and after its end there is no other.
TEST_CASE("an attach that the program's end overtakes is told so") {
  static FakeJvm& jvm = *new FakeJvm;  // not destroyed: the agent looks at it when the process ends
  const TemporaryFolder folder;
  jvm.properties = {{"java.vm.name", "OpenJDK 64-Bit Server VM"},
                    {"java.vm.version", "17.0.15+6-Debian-1"}};
  jvm.AddMethod(jvm.AddClass("a/Earlier", jvm.application_loader), "f", "()V");
  // In the middle of the start; in a real JVM this is on another thread.
  jvm.on_retransform = [] {
    if (Agent::Get().state() != SessionState::kEnded) Agent::Get().OnVmDeath(jvm.jni());
  };
  const auto in_folder = [&](const std::string& name) { return (folder.path() / name).string(); };
  const std::string options = std::string(kCalls) + ",out=" + in_folder("x.iprof") +
                              ",log=" + in_folder("log") + ",reply=" + in_folder("answer");
  CHECK_FALSE(Agent::Get().HasEndedUnbegun());
  CHECK(LoadAgent(jvm.vm(), options.c_str(), LoadReason::kAttach) == JNI_ERR);
  CHECK(Agent::Get().HasEndedUnbegun());
  std::ifstream in(in_folder("answer"));
  const auto answer = control::ParseAnswer(std::string{std::istreambuf_iterator<char>(in), {}});
  REQUIRE(answer.ok());
  CHECK(answer->outcome == control::Outcome::kRefused);
  CHECK(answer->message == "the program is ending");
  CHECK_FALSE(fs::exists(in_folder("x.iprof")));
}

}  // namespace
}  // namespace iprof::vm
