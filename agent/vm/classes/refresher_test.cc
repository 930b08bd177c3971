// With a JVM that only notes what is asked of it. With HotSpot: java-tests/tests/harvest_refresh.py.
#include "agent/vm/classes/refresher.h"

#include <catch2/catch.hpp>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

using Names = std::vector<std::string>;

std::string Refresh(FakeJvm& jvm, Refresher& refresher, bool goes_on = true) {
  return Refresher::Text(refresher.Run(jvm.jni(), {"a.Hot", "a.Warm"},
                                       std::chrono::milliseconds(50),
                                       [goes_on] { return goes_on; }));
}

TEST_CASE("the named classes are retransformed, and no others") {
  FakeJvm jvm;
  for (const char* name : {"a/Hot", "a/Cold", "a/Warm"}) jvm.AddClass(name);
  jvm.LivePhase();
  const auto refresher = Refresher::Make(jvm.vm());
  REQUIRE(refresher.ok());
  const std::string said = Refresh(jvm, **refresher);
  CHECK(said.starts_with("HotSpot profiles 2 classes again, after "));
  std::sort(jvm.retransformed.begin(), jvm.retransformed.end());
  CHECK(jvm.retransformed == Names{"a/Hot", "a/Warm"});
  CHECK(jvm.enabled_events().empty());
  CHECK(jvm.live_weak_references == 0);
  SECTION("again, although the JVM counted the first time as a redefinition") {
    CHECK(Refresh(jvm, **refresher).starts_with("HotSpot profiles 2 classes again, after "));
  }
  SECTION("not while the program ends") {
    CHECK(Refresh(jvm, **refresher, false).starts_with("HotSpot profiles 0 classes again"));
  }
}

TEST_CASE("a superclass that is swapped earlier does not keep its subclasses from it") {
  FakeJvm jvm;
  jvm.properties["java.vm.version"] = "17.0.1+1";
  FakeClass* const base = jvm.AddClass("a/Base");
  FakeClass* const hot = jvm.AddClass("a/Hot");
  hot->super = base;
  jvm.LivePhase();
  const auto refresher = Refresher::Make(jvm.vm());
  REQUIRE(refresher.ok());
  const std::string said = Refresher::Text(
      (*refresher)->Run(jvm.jni(), {"a.Base"}, std::chrono::milliseconds(50), [] { return true; }));
  CHECK(said.starts_with("HotSpot profiles 1 class again, after "));
  SECTION("although the JVM counts its swap for them, too") {
    CHECK(Refresh(jvm, **refresher).starts_with("HotSpot profiles 1 class again, after "));
  }
  SECTION("but somebody else's redefinition does") {
    jvm.CountRedefinition(*hot);
    CHECK(Refresh(jvm, **refresher)
              .ends_with("1 are left alone because somebody else redefined them, which a JVM "
                         "before JDK 20 would undo"));
  }
}

TEST_CASE("a JVM that does not allow it") {
  FakeJvm jvm;
  jvm.LivePhase();
  jvm.refuse["AddCapabilities"] = JVMTI_ERROR_NOT_AVAILABLE;
  const auto refresher = Refresher::Make(jvm.vm());
  REQUIRE_FALSE(refresher.ok());
  CHECK(refresher.status().message() ==
        "cannot get the JVMTI capabilities to retransform classes: NOT_AVAILABLE (98)");
  CHECK(jvm.open_environments() == 0);
}

}  // namespace
}  // namespace iprof::vm
