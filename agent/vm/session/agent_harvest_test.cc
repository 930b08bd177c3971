// HotSpot's own counters beside a recording, against a JVM that a test drives: when the agent reads them.
#include <catch2/catch.hpp>
#include <string>

#include "agent/vm/session/loaded_agent.h"

namespace iprof::vm {
namespace {

// This JVM is no HotSpot, so this is as far as a harvest comes.
constexpr std::string_view kNotRefused = "this JVM has an unknown layout";

TEST_CASE("HotSpot's counters are read once a recording was stopped, and not while it runs") {
  LoadedAgent l;
  l.jvm.properties["java.vm.version"] = "25.0.1+8";
  const bool harvests = GENERATE(true, false);
  const std::string command =
      harvests ? "command=harvest,out=" + (l.folder / "y.iprof") : "command=refresh";
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  CHECK(Tell(l, command).message.starts_with(kNotRefused));
  for (int recording = 0; recording < 2; ++recording) {
    CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
    const control::Answer counting = Tell(l, command);
    CHECK(counting.outcome == control::Outcome::kRefused);
    CHECK(counting.message.starts_with("the agent counts in this JVM itself"));
    CHECK(Tell(l, "command=stop").outcome == control::Outcome::kDone);
    CHECK(Tell(l, command).message.starts_with(kNotRefused));
  }
}

TEST_CASE("before JDK 20 a refresh would undo hot swaps that it cannot tell from a recording's") {
  LoadedAgent l;
  l.jvm.properties["java.vm.version"] = "17.0.1+1";
  REQUIRE(l.Load("start=n," + std::string(kCalls)).ok());
  l.jvm.LivePhase();
  CHECK(Tell(l, "command=refresh").message.starts_with(kNotRefused));
  CHECK(Tell(l, "command=start").outcome == control::Outcome::kDone);
  CHECK(Tell(l, "command=stop").outcome == control::Outcome::kDone);
  const control::Answer stopped = Tell(l, "command=refresh");
  CHECK(stopped.outcome == control::Outcome::kRefused);
  CHECK(stopped.message.starts_with("the agent has counted in this JVM and was stopped: before"));
  const std::string out = l.folder / "y.iprof";
  CHECK(Tell(l, "command=harvest,out=" + out).message.starts_with(kNotRefused));
}

}  // namespace
}  // namespace iprof::vm
