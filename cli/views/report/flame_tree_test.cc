#include "cli/views/report/flame_tree.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

struct Names {
  Profile profile;
  TypeIndex type = profile.AddType("a.B");
  MethodIndex Of(const std::string& name) {
    return profile.AddMethod(name, std::vector<TypeIndex>{type, type});
  }
};

// "0 main 12, 1 loop 10, …": depth, name, weight of the first side; "+N" are N frames that are too small.
std::string Text(const std::vector<FlameFrame>& frames, const Profile& names) {
  std::string text;
  for (const FlameFrame& frame : frames) {
    if (!text.empty()) text += ", ";
    text += std::to_string(frame.depth) + " ";
    text += frame.method == kNoMethod ? "+" + std::to_string(frame.frames)
                                      : std::string(names.MethodName(frame.method));
    text += " " + std::to_string(frame.weight[0]);
  }
  return text;
}

}  // namespace

TEST_CASE("stacks with the same callers share frames, the largest first") {
  Names names;
  const MethodIndex main = names.Of("main"), small = names.Of("small"), large = names.Of("large");
  FlameTree tree;
  tree.Add(0, std::vector<Frame>{{small, 3}, {main, 1}}, 2);
  tree.Add(0, std::vector<Frame>{{large, 4}, {main, 5}}, 7);
  tree.Add(0, std::vector<Frame>{{large, 9}, {main, 5}}, 1);
  tree.Add(0, std::vector<Frame>{{main, 2}}, 1);
  const std::vector<FlameFrame> frames = tree.Cut(100, names.profile);
  CHECK(Text(frames, names.profile) == "0 main 11, 1 large 8, 1 small 2");
  CHECK(tree.total() == Counts{11, 0});
  CHECK(frames[0].bci == 5);
  CHECK(frames[0].weight_at_bci == Counts{8, 0});
  CHECK(frames[1].bci == 4);
}

TEST_CASE("frames know the periods of their samples, also those that are not drawn") {
  Names names;
  const MethodIndex main = names.Of("main"), hot = names.Of("hot"), cold = names.Of("cold"),
                    below = names.Of("below");
  FlameTree tree;
  tree.Add(0, std::vector<Frame>{{hot, 0}, {main, 0}}, 50, 4);
  tree.Add(0, std::vector<Frame>{{hot, 0}, {main, 0}}, 20, 0);
  tree.Add(0, std::vector<Frame>{{below, 0}, {cold, 0}, {main, 0}}, 3, 1);
  tree.Add(0, std::vector<Frame>{{cold, 2}, {main, 0}}, 2);
  const std::vector<FlameFrame> frames = tree.Cut(2, names.profile);
  REQUIRE(Text(frames, names.profile) == "0 main 75, 1 hot 70, 1 +2 5");
  using Times = std::vector<std::pair<uint32_t, int64_t>>;
  CHECK(frames[0].times == Times{{0, 20}, {1, 3}, {4, 50}});
  CHECK(frames[1].times == Times{{0, 20}, {4, 50}});
  CHECK(frames[2].times == Times{{1, 3}});
}

TEST_CASE("recursion makes a frame for each call") {
  Names names;
  const MethodIndex fib = names.Of("fib");
  FlameTree tree;
  tree.Add(0, std::vector<Frame>{{fib, 3}, {fib, 3}, {fib, 8}}, 4);
  CHECK(Text(tree.Cut(100, names.profile), names.profile) == "0 fib 4, 1 fib 4, 2 fib 4");
}

TEST_CASE("what is cut is counted, and never larger than what is kept") {
  Names names;
  const MethodIndex main = names.Of("main"), hot = names.Of("hot"), cold = names.Of("cold"),
                    below = names.Of("below"), other = names.Of("other");
  FlameTree tree;
  tree.Add(0, std::vector<Frame>{{hot, 0}, {main, 0}}, 50);
  tree.Add(0, std::vector<Frame>{{below, 0}, {cold, 0}, {main, 0}}, 3);
  tree.Add(0, std::vector<Frame>{{other, 0}, {main, 0}}, 2);
  CHECK(Text(tree.Cut(2, names.profile), names.profile) == "0 main 55, 1 hot 50, 1 +3 5");
  // Of equal frames, all or none are kept.
  CHECK(Text(tree.Cut(3, names.profile), names.profile) == "0 main 55, 1 hot 50, 1 +3 5");
  CHECK(Text(tree.Cut(4, names.profile), names.profile) ==
        "0 main 55, 1 hot 50, 1 cold 3, 2 below 3, 1 +1 2");
  CHECK(tree.frame_count() == 5);
}

TEST_CASE("a frame that is large in one of two profiles is kept") {
  Names names;
  const MethodIndex old_only = names.Of("old"), both = names.Of("both"), rare = names.Of("rare");
  FlameTree tree;
  tree.Add(0, std::vector<Frame>{{both, 0}}, 1);
  tree.Add(0, std::vector<Frame>{{old_only, 0}}, 99);
  tree.Add(1, std::vector<Frame>{{both, 0}}, 10'000);
  tree.Add(1, std::vector<Frame>{{rare, 0}},
           500);  // more samples than the old one has, but a smaller share
  const std::vector<FlameFrame> frames = tree.Cut(2, names.profile);
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].weight == Counts{99, 0});
  CHECK(frames[1].weight == Counts{1, 10'000});
  CHECK(frames[2].method == kNoMethod);
}

TEST_CASE("the order of stacks makes no difference") {
  Names names;
  const MethodIndex main = names.Of("main"), a = names.Of("a"), b = names.Of("b");
  const std::vector<std::vector<Frame>> stacks = {
      {{a, 1}, {main, 0}}, {{b, 1}, {main, 7}}, {{b, 2}, {main, 0}}, {{a, 2}, {main, 7}}};
  FlameTree forward, backward;
  for (const auto& stack : stacks) forward.Add(0, stack, 5);
  for (auto stack = stacks.rbegin(); stack != stacks.rend(); ++stack) backward.Add(0, *stack, 5);
  CHECK(Text(forward.Cut(9, names.profile), names.profile) ==
        Text(backward.Cut(9, names.profile), names.profile));
  CHECK(forward.Cut(9, names.profile)[0].bci == backward.Cut(9, names.profile)[0].bci);
}

}  // namespace iprof
