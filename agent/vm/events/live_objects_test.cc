#include "agent/vm/events/live_objects.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

jobject Ref(FakeObject* object) { return reinterpret_cast<jobject>(object); }

struct Heap {
  FakeJvm jvm;
  FakeClass* const type = jvm.AddClass("a/B");
  FakeObject* New() { return jvm.NewObject(type); }
};

TEST_CASE("what survived a collection is counted by row, and what is gone is forgotten") {
  Heap heap;
  LiveObjects live(100, 1);
  FakeObject* const dies = heap.New();
  live.Add(heap.jvm.jni(), Ref(dies), 0, 500, 10);
  live.Add(heap.jvm.jni(), Ref(heap.New()), 0, 500, 10);
  live.Add(heap.jvm.jni(), Ref(heap.New()), 1, 7, 1);
  CHECK_FALSE(live.NeedsSweep());
  live.Sweep(heap.jvm.jni());
  CHECK(live.swept_ms() == 0);
  CHECK(live.ByRow(2)[0].samples == 0);  // there was no collection that they could survive

  heap.jvm.Unload(dies);
  live.NoteCollection();
  CHECK(live.NeedsSweep());
  // Allocated after the collection.
  live.Add(heap.jvm.jni(), Ref(heap.New()), 1, 7, 1);
  live.Sweep(heap.jvm.jni());
  CHECK_FALSE(live.NeedsSweep());
  CHECK(live.swept_ms() > 0);
  const auto rows = live.ByRow(2);
  CHECK(rows[0].samples == 1);
  CHECK(rows[0].bytes == 500);
  CHECK(rows[0].objects == 10);
  CHECK(rows[1].samples == 1);
  CHECK(heap.jvm.live_weak_references == 3);
  live.NoteCollection();
  live.Sweep(heap.jvm.jni());
  CHECK(live.ByRow(2)[1].samples == 2);
  // A row that is not asked for.
  CHECK(live.ByRow(1).size() == 1);
}

TEST_CASE("a collector that pauses four times in a collection needs as many") {
  Heap heap;
  LiveObjects live(100, 4);
  live.Add(heap.jvm.jni(), Ref(heap.New()), 0, 1, 1);
  for (int pause = 1; pause <= 4; ++pause) {
    live.NoteCollection();
    live.Sweep(heap.jvm.jni());
    CHECK(live.ByRow(1)[0].samples == (pause < 4 ? 0 : 1));
    CHECK((live.swept_ms() > 0) == (pause == 4));
  }
}

TEST_CASE("a table that is too small keeps a random part, which stands for all") {
  constexpr int kObjects = 20'000;
  constexpr size_t kMost = 500;
  Heap heap;
  LiveObjects live(kMost, 1);
  for (int i = 0; i < kObjects; ++i) {
    // Two of three are of row 1.
    const bool wants_sweep = live.Add(heap.jvm.jni(), Ref(heap.New()), i % 3 == 0 ? 0 : 1, 10, 2);
    if (wants_sweep) live.Sweep(heap.jvm.jni());
    REQUIRE(heap.jvm.live_weak_references <= static_cast<int>(2 * kMost));
  }
  CHECK(live.untracked() == 0);
  live.NoteCollection();
  live.Sweep(heap.jvm.jni());
  const auto rows = live.ByRow(2);
  CHECK(rows[0].samples + rows[1].samples >= kMost / 4);
  CHECK(rows[0].samples + rows[1].samples <= kMost);
  for (const int row : {0, 1}) {
    const double objects = 2.0 * kObjects * (row + 1) / 3;
    const double error = 3 / std::sqrt(static_cast<double>(rows[static_cast<size_t>(row)].samples));
    CHECK(rows[static_cast<size_t>(row)].objects == Approx(objects).epsilon(error));
    CHECK(rows[static_cast<size_t>(row)].bytes == Approx(objects * 5).epsilon(error));
  }
  CHECK(live.bytes() < kMost * 100);
}

TEST_CASE("without a sweep, references stay bounded, and objects that get none are counted") {
  Heap heap;
  LiveObjects live(100, 1);
  for (int i = 0; i < 100'000; ++i) live.Add(heap.jvm.jni(), Ref(heap.New()), 0, 1, 1);
  CHECK(heap.jvm.live_weak_references <= 201);
  CHECK(live.untracked() > 0);
}

TEST_CASE("what is forgotten is deleted by the next sweep") {
  Heap heap;
  LiveObjects live(100, 1);
  for (int i = 0; i < 50; ++i) live.Add(heap.jvm.jni(), Ref(heap.New()), 0, 1, 1);
  live.NoteCollection();
  live.Forget();
  live.Sweep(heap.jvm.jni());
  CHECK(live.ByRow(1)[0].samples == 0);
  CHECK(heap.jvm.live_weak_references == 0);
}

}  // namespace
}  // namespace iprof::vm
