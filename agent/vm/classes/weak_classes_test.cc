#include "agent/vm/classes/weak_classes.h"

#include <catch2/catch.hpp>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

TEST_CASE("a class that is unloaded while it waits is left out, and no reference is left") {
  FakeJvm jvm;
  std::vector<FakeClass*> made;
  std::vector<jclass> all;
  for (const char* name : {"a/A", "a/B", "a/C", "a/D"}) {
    made.push_back(jvm.AddClass(name));
    all.push_back(reinterpret_cast<jclass>(made.back()));
  }
  {
    WeakClasses waiting(jvm.jni(), all);
    CHECK(jvm.live_weak_references == 4);
    CHECK(waiting.Take(1) == std::vector<jclass>{all[0]});
    jvm.Unload(made[1]);
    CHECK(waiting.Take(1) == std::vector<jclass>{all[2]});
    CHECK_FALSE(waiting.empty());
  }
  CHECK(jvm.live_weak_references == 0);
}

}  // namespace
}  // namespace iprof::vm
