#include <catch2/catch.hpp>
#include <string_view>
#include <utility>

#include "agent/harvest/estimate.h"

namespace iprof::hotspot {
namespace {

using classfile::Op;

// Main.main calls Base.run 1,000 times, which is a lambda: Old, or Now, as it was linked again. Both
// call Main.often.
struct Relinked {
  enum : uint32_t { kBase, kOld, kNow, kMain };                           // classes
  enum : uint32_t { kBaseRun, kOldRun, kNowRun, kMainMain, kMainOften };  // methods
  HarvestedProgram program;

  explicit Relinked(uint64_t old_row) {
    Class("Base", kNoClass, 0x401);
    Method("run", 0, 0x401);
    Class("Old", kBase, 1);
    Method("run", 60'000, 1);
    Class("Now", kBase, 1);
    Method("run", 300, 1);
    Class("Main", kNoClass, 1);
    Method("main", 1, 1);
    Method("often", 300, 9);
    Call(kOldRun, Op::invokestatic, "Main", "often", 60'000);
    Call(kNowRun, Op::invokestatic, "Main", "often", 300);
    Call(kMainMain, Op::invokevirtual, "Base", "run", 1000);
    HarvestedTypes types{.bci = 0, .is_call = true, .rows = {{kNow, 1000 - old_row}}};
    if (old_row > 0) types.rows.emplace_back(kOld, old_row);
    program.methods[kMainMain].types.push_back(std::move(types));
  }

  void Class(std::string_view name, uint32_t super, uint16_t access) {
    HarvestedClass klass;
    klass.name = name;
    klass.super = super;
    klass.access = access;
    klass.first_method = static_cast<uint32_t>(program.methods.size());
    program.classes.push_back(klass);
  }
  void Method(std::string_view name, uint64_t invocations, uint16_t access) {
    HarvestedMethod method;
    method.klass = static_cast<uint32_t>(program.classes.size() - 1);
    method.name = name;
    method.descriptor = "()V";
    method.access = access;
    method.invocations = method.data_invocations = invocations;
    method.has_data = invocations > 0;
    program.methods.push_back(method);
    ++program.classes.back().methods;
  }
  void Call(uint32_t caller, Op op, std::string_view owner, std::string_view name, uint64_t count) {
    program.methods[caller].calls.push_back({0, op, owner, name, "()V", count});
  }
};

TEST_CASE("a superseded copy of a lambda is called as often as its callers' records say") {
  for (const uint64_t old_row : {0U, 500U}) {
    for (const bool is_superseded : {false, true}) {
      for (const bool counts_to_the_end : {false, true}) {
        if (counts_to_the_end && !is_superseded) continue;
        Relinked relinked(old_row);
        relinked.program.classes[Relinked::kOld].is_superseded = is_superseded;
        relinked.program.counts_to_the_end = counts_to_the_end;
        const auto scales = EstimateCalls(relinked.program).scales;
        const uint64_t old_calls = is_superseded ? old_row : 60'000;
        CHECK(scales[Relinked::kOldRun].calls == old_calls);
        // Its branches are scaled to these calls, so that the old ones do not outweigh the others.
        CHECK(scales[Relinked::kOldRun].factor == static_cast<double>(old_calls) / 60'000);
        if (counts_to_the_end) continue;  // the others have what was counted
        CHECK(scales[Relinked::kNowRun].calls == 1000 - old_row);
        CHECK(scales[Relinked::kMainOften].calls == old_calls + 1000 - old_row);
      }
    }
  }
}

TEST_CASE("what a superseded copy called does not show how often a counter began again") {
  Relinked relinked(0);
  relinked.program.classes[Relinked::kOld].is_superseded = true;
  relinked.program.counts_to_the_end = true;
  HarvestedMethod& often = relinked.program.methods[Relinked::kMainOften];
  relinked.program.methods[Relinked::kOldRun].calls.front().block_count = 3'000'000'000;
  relinked.Call(Relinked::kMainOften, Op::invokestatic, "Main", "other",
                1);  // so that it is counted
  CHECK(EstimateCalls(relinked.program).scales[Relinked::kMainOften].calls == often.invocations);
}

}  // namespace
}  // namespace iprof::hotspot
