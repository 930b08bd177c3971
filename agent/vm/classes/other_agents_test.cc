#include "agent/vm/classes/other_agents.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

using Names = std::vector<std::string>;

OtherAgents Find(const Names& arguments) { return FindOtherAgents(arguments, "libiprofagent.so"); }

TEST_CASE("agents are told apart by whether they are named before or after ours") {
  const OtherAgents found =
      Find({"-Xmx1g", "-javaagent:/opt/jacocoagent.jar=destfile=a=b/c.exec", "-agentlib:other",
            "-agentpath:/opt/lib/libiprofagent.so=out=a.iprof", "-agentpath:./libasync.so=start"});
  CHECK(found.before == Names{"jacocoagent.jar", "libother.so"});
  CHECK(found.after == Names{"libasync.so"});
}

TEST_CASE("ours is found in every form, debuggers and other arguments are no agents") {
  for (const char* ours : {"-agentlib:iprofagent", "-agentlib:iprofagent=out=x",
                           "-agentpath:libiprofagent.so", "-agentpath:/a/libiprofagent.so=="}) {
    const OtherAgents found = Find({ours, "-agentlib:jdwp=server=y", "-javaagent:a.jar",
                                    "-agentpath:/jvm/lib/libjdwp.so", "-Dx=-javaagent:b.jar"});
    INFO(ours);
    CHECK(found.before.empty());
    CHECK(found.after == Names{"a.jar"});
  }
}

TEST_CASE("an agent that was attached came after all that are named") {
  const OtherAgents found = Find({"-javaagent:a.jar", "-agentlib:b"});
  CHECK(found.before == Names{"a.jar", "libb.so"});
  CHECK(found.after.empty());
  CHECK(Find({}).before.empty());
}

TEST_CASE("our own Java agent is none of the others") {
  for (const char* ours :
       {"-javaagent:iprof-agent.jar=out=a.iprof", "-javaagent:/a/iprof-agent-0.1.0.jar"}) {
    const OtherAgents found = Find({ours, "-javaagent:a.jar"});
    INFO(ours);
    CHECK(found.own_jar);
    CHECK(found.before == Names{"a.jar"});
  }
  CHECK_FALSE(Find({"-javaagent:iprof-agents.jar"}).own_jar);
}

TEST_CASE("what is loaded: this program, and no Java agents in it") {
  CHECK_FALSE(OwnLibrary().empty());
  CHECK(OwnLibrary().find('/') == std::string::npos);
  CHECK_FALSE(HasJavaAgents());
}

}  // namespace
}  // namespace iprof::vm
