#include "agent/vm/classes/held_classes.h"

#include <catch2/catch.hpp>
#include <vector>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

using instrument::ClassId;

struct Holding {
  FakeJvm jvm;
  Log log;
  UnloadWatch tags{log};
  ClassWatch watch{tags};
  instrument::MemoryBudget budget;
  std::vector<ClassId> released;
  HeldClasses held{watch, budget, [this](ClassId id) { released.push_back(id); }};
  FakeClass* const type = jvm.AddClass("a/B", jvm.AddLoader());
  Holding() { REQUIRE(tags.Start(jvm.vm()).ok()); }

  void Hold(ClassId id) { held.HoldWhileLoaded(reinterpret_cast<jclass>(type), id); }
};

TEST_CASE("a class is released when it has gone") {
  Holding h;
  h.Hold(ClassId{7});
  CHECK(h.released.empty());
  CHECK(h.budget.Used(instrument::MemoryPart::kWatched) > 0);
  h.jvm.Unload(h.type);
  h.watch.Process(h.jvm.jni());
  CHECK(h.released == std::vector{ClassId{7}});
}

TEST_CASE("a class that is retransformed is held once for each of its definitions") {
  Holding h;
  h.Hold(ClassId{7});
  h.Hold(ClassId{7});  // with the same bytes again
  CHECK(h.released == std::vector{ClassId{7}});
  h.Hold(ClassId{8});
  h.released.clear();
  h.jvm.Unload(h.type);
  h.watch.Process(h.jvm.jni());
  CHECK_THAT(h.released, Catch::UnorderedEquals(std::vector{ClassId{7}, ClassId{8}}));
}

TEST_CASE("a class that cannot be watched is held for good") {
  Holding h;
  h.jvm.refuse["SetTag"] = JVMTI_ERROR_OUT_OF_MEMORY;
  h.Hold(ClassId{7});
  h.jvm.Unload(h.type);
  h.watch.Process(h.jvm.jni());
  CHECK(h.released.empty());
}

}  // namespace
}  // namespace iprof::vm
