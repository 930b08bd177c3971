#include "cli/jvm/control_path.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace iprof::jvm {
namespace {

TEST_CASE("the control socket that a JVM's options name") {
  using Words = std::vector<std::string>;
  const Words java = {"java", "-cp", "x", "Main", "control=/no"};
  const auto with = [](const char* option) { return ControlPathIn({"java", option}, {}, 42); };
  CHECK(with("-agentpath:/opt/libiprofagent.so=out=x,control=/run/a.sock,jdk=n") == "/run/a.sock");
  CHECK(with("-agentlib:iprofagent=control=b.sock") == "b.sock");
  CHECK(with("-agentlib:iprofagent=control=/run/%p%%.sock") == "/run/42%.sock");
  CHECK(with("-agentlib:iprofagent=control=/run/%h.sock").empty());
  CHECK(with("-agentlib:iprofagent=control=/run/%").empty());
  CHECK(with("-agentpath:/opt/libother.so=control=/run/a.sock").empty());
  CHECK(with("-agentpath:/opt/libiprofagent.so").empty());
  CHECK(ControlPathIn(java, {}, 42).empty());
  const Words environment = {"PATH=/bin",
                             "JAVA_TOOL_OPTIONS=-Xmx1g  "
                             "'-agentpath:/opt/libiprofagent.so=control=/e.sock' -Da=b"};
  CHECK(ControlPathIn(java, environment, 42) == "/e.sock");
  CHECK(ControlPathIn({"java", "-agentlib:iprofagent=control=/c"}, environment, 42) == "/c");
  CHECK(ControlPathIn({}, {"JAVA_TOOL_OPTIONS="}, 42).empty());
}

}  // namespace
}  // namespace iprof::jvm
