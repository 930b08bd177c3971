#include "writer/profile/image/sampled_calls.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace iprof {
namespace {

constexpr Frame At(uint32_t method, Bci bci) { return {MethodIndex{method}, bci}; }
constexpr Frame kCall = At(2, 7);

std::vector<StackView> ViewsOf(const std::vector<SampledStack>& stacks) {
  std::vector<StackView> views;
  for (const SampledStack& stack : stacks) views.push_back(ViewOf(stack));
  return views;
}

std::vector<HotCall> CallsIn(const std::vector<SampledStack>& stacks) {
  std::vector<HotCall> calls;
  VisitHotCalls(
      ViewsOf(stacks), [](Frame frame) { return frame == kCall; },
      [&](const HotCall& call) {
        calls.push_back(call);
        return true;
      });
  return calls;
}

using Callees = std::set<MethodIndex>;

TEST_CASE("a call is hot alone, with its callers, and at the bottom of the stack") {
  const auto calls = CallsIn({{{At(3, 1), kCall, At(1, 5)}, 1}, {{At(9, 1)}, 19}});
  CHECK(calls == std::vector<HotCall>{{{kCall}, false, Callees{MethodIndex{3}}},
                                      {{kCall, At(1, 5)}, false, Callees{MethodIndex{3}}},
                                      {{kCall, At(1, 5)}, true, Callees{MethodIndex{3}}}});
}

TEST_CASE("below 5 % of the samples nothing is hot") {
  CHECK(CallsIn({{{At(3, 1), kCall}, 1}, {{At(9, 1)}, 20}}).empty());
}

TEST_CASE("a chain has the callees of all stacks in which it occurs") {
  const auto calls = CallsIn({{{At(3, 1), kCall, At(1, 5)}, 50},
                              {{At(4, 1), kCall, At(1, 6)}, 1},
                              {{kCall, At(1, 6)}, 9}});
  REQUIRE(calls.size() == 5);
  CHECK(calls[0].callees == Callees{MethodIndex{3}, MethodIndex{4}});
  CHECK(calls[1].chain.back() == At(1, 5));
  CHECK(calls[1].callees == Callees{MethodIndex{3}});
  CHECK(calls[2].chain.back() == At(1, 6));  // hot by its own samples, with one callee
  CHECK(calls[2].callees == Callees{MethodIndex{4}});
}

TEST_CASE("recursion counts a stack once") {
  CHECK(CallsIn({{{kCall, kCall, kCall, kCall}, 1}, {{At(9, 1)}, 20}}).empty());
  const auto calls = CallsIn({{{kCall, kCall, kCall}, 1}, {{At(9, 1)}, 9}});
  REQUIRE_FALSE(calls.empty());
  CHECK(calls[0].callees == Callees{kCall.method});
}

TEST_CASE("a visitor may stop at a site") {
  size_t visits = 0;
  const std::vector<SampledStack> stacks = {{{At(3, 1), kCall, At(1, 5)}, 1}};
  VisitHotCalls(
      ViewsOf(stacks), [](Frame) { return true; },
      [&](const HotCall&) {
        ++visits;
        return false;
      });
  CHECK(visits == 2);  // at 2:7 and at 1:5
}

TEST_CASE("deep recursion takes a bounded number of steps for each frame") {
  constexpr size_t kStacks = 2'000;
  constexpr size_t kDepth = 2'000;
  std::vector<Frame> frames(kDepth, kCall);
  frames.front() = At(3, 1);
  const std::vector<StackView> stacks(kStacks, {frames, 1});
  size_t longest = 0;
  const size_t steps = VisitHotCalls(
      stacks, [](Frame frame) { return frame == kCall; },
      [&](const HotCall& call) {
        longest = std::max(longest, call.chain.size());
        return true;
      });
  CHECK(longest == kLongestChain);
  CHECK(steps <= kLongestChain * kStacks * kDepth);
}

TEST_CASE("the bottom of a stack counts as a frame of the longest chain") {
  const auto deepest = [](size_t callers) {
    std::vector<Frame> frames(callers, At(1, 5));
    frames.insert(frames.begin(), {At(3, 1), kCall});
    return CallsIn({{frames, 1}}).back();
  };
  CHECK(deepest(kLongestChain - 2).to_bottom);
  CHECK_FALSE(deepest(kLongestChain - 1).to_bottom);
  CHECK(deepest(kLongestChain - 1).chain.size() == kLongestChain);
  CHECK(deepest(2 * kLongestChain).chain.size() == kLongestChain);
}

TEST_CASE("no samples, no calls") { CHECK(CallsIn({}).empty()); }

}  // namespace
}  // namespace iprof
