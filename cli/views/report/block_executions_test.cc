#include "cli/views/report/block_executions.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

ListedInstruction Plain(Bci bci) { return {bci, "nop", "", {}, true, false, ""}; }
ListedInstruction If(Bci bci, Bci target) { return {bci, "ifeq", "", {target}, true, false, ""}; }
ListedInstruction Goto(Bci bci, Bci target) {
  return {bci, "goto", "", {target}, false, false, ""};
}
ListedInstruction Switch(Bci bci, std::vector<Bci> targets) {
  return {bci, "tableswitch", "", std::move(targets), false, false, ""};
}
ListedInstruction Return(Bci bci) { return {bci, "return", "", {}, false, false, ""}; }
ListedInstruction Handler(Bci bci) { return {bci, "astore_1", "", {}, true, true, ""}; }

using Blocks = std::vector<BlockExecutions>;

}  // namespace

TEST_CASE("straight code runs as often as the method was called") {
  const std::vector<ListedInstruction> code = {Plain(0), Plain(1), Return(2)};
  CHECK(CountBlocks(code, 7, {}) == Blocks{{0, 7}});
}

TEST_CASE("both ways of a branch, and where they meet") {
  // 0: if → 6;  3: goto 7;  6: nop;  7: return
  const std::vector<ListedInstruction> code = {If(0, 6), Goto(3, 7), Plain(6), Return(7)};
  CHECK(CountBlocks(code, 10, {{0, {{6, 3}, {3, 7}}}}) == Blocks{{0, 10}, {3, 7}, {6, 3}, {7, 10}});
}

TEST_CASE("a loop's body and its end follow from the branch at its head") {
  // 0: nop;  1: if → 8;  4: nop;  5: goto 1;  8: return: called twice, 10 rounds
  const std::vector<ListedInstruction> code = {Plain(0), If(1, 8), Plain(4), Goto(5, 1), Return(8)};
  CHECK(CountBlocks(code, 2, {{1, {{4, 10}, {8, 2}}}}) == Blocks{{0, 2}, {1, 12}, {4, 10}, {8, 2}});
}

TEST_CASE("keys of a switch that lead to one target are one edge") {
  const std::vector<ListedInstruction> code = {Switch(0, {20, 20, 30}), Return(20), Return(30)};
  CHECK(CountBlocks(code, 9, {{0, {{20, 4}, {30, 5}}}}) == Blocks{{0, 9}, {20, 4}, {30, 5}});
}

TEST_CASE("a branch without a count is not known, unless its block never ran") {
  // 0: if → 9;  3: if → 8;  6: return;  8: return;  9: return
  const std::vector<ListedInstruction> code = {If(0, 9), If(3, 8), Return(6), Return(8), Return(9)};
  CHECK(CountBlocks(code, 5, {{0, {{9, 2}, {3, 3}}}}) ==
        Blocks{{0, 5}, {3, 3}, {6, std::nullopt}, {8, std::nullopt}, {9, 2}});
  CHECK(CountBlocks(code, 5, {{0, {{9, 5}}}}) == Blocks{{0, 5}, {3, 0}, {6, 0}, {8, 0}, {9, 5}});
}

TEST_CASE("a handler's executions are known only from a branch in it") {
  // 0: return;  1: handler;  2: if → 6;  5: return;  6: return
  const std::vector<ListedInstruction> code = {Return(0), Handler(1), If(2, 6), Return(5),
                                               Return(6)};
  CHECK(CountBlocks(code, 5, {}) == Blocks{{0, 5}, {1, {}}, {5, {}}, {6, {}}});
  CHECK(CountBlocks(code, 5, {{2, {{6, 1}, {5, 2}}}}) == Blocks{{0, 5}, {1, 3}, {5, 2}, {6, 1}});
}

TEST_CASE("an outcome at a compiler's own position is the way that has no count") {
  const std::vector<ListedInstruction> code = {If(0, 6), Return(3), Return(6)};
  CHECK(CountBlocks(code, 11, {{0, {{20, 1}, {6, 10}}}}) == Blocks{{0, 11}, {3, 1}, {6, 10}});
  // Two positions that are not in the method: nothing follows.
  CHECK(CountBlocks(code, 11, {{0, {{20, 1}, {30, 10}}}}) == Blocks{{0, 11}, {3, {}}, {6, {}}});
}

TEST_CASE("a branch that an image build folded with others: what does not follow is not known") {
  // 0: if → 6 (one case);  3: a block with the other cases, which the build folded into the branch at 0;  6: return
  const std::vector<ListedInstruction> code = {If(0, 6), Return(3), Return(6)};
  CHECK(CountBlocks(code, 24, {{0, {{6, 4}, {20, 7}, {33, 8}, {-5, 5}}}}) ==
        Blocks{{0, 24}, {3, 20}, {6, 4}});
  // Successors in an inlined method: either way may lead there.
  CHECK(CountBlocks(code, 24, {{0, {{3, 4}, {6, 5}, {77, 15}}}}) ==
        Blocks{{0, 24}, {3, {}}, {6, {}}});
  // How often the branch ran is known without the calls.
  const std::vector<ListedInstruction> handler = {Return(0), Handler(1), If(2, 6), Return(5),
                                                  Return(6)};
  CHECK(CountBlocks(handler, 5, {{2, {{5, 1}, {6, 2}, {77, 3}}}}) ==
        Blocks{{0, 5}, {1, 6}, {5, {}}, {6, {}}});
}

TEST_CASE("what a handler did is assumed from the calls in it, and nothing else is") {
  // 0: nop (a call);  1: goto 6;  4: handler;  5: nop (a call);  6: nop;  7: return
  const std::vector<ListedInstruction> code = {Plain(0), Goto(1, 6), Handler(4),
                                               Plain(5), Plain(6),   Return(7)};
  const auto assumed = [&](const std::map<Bci, int64_t>& seen) {
    std::vector<int64_t> counts;
    for (const FlowBlock& block : CountFlow(code, 9, {}, seen).blocks)
      counts.push_back(block.assumed);
    return counts;
  };
  CHECK(CountBlocks(code, 9, {}) == Blocks{{0, 9}, {4, std::nullopt}, {6, std::nullopt}});
  CHECK(assumed({{5, 2}}) == std::vector<int64_t>{9, 2, 11});
  CHECK(assumed({{0, 4}}) == std::vector<int64_t>{9, 0, 9});  // a known count stays
}

TEST_CASE("behind a handler, a branch has its own count") {
  // 0: nop;  1: goto 6;  4: handler;  5: if → 6;  6: if → 8;  7: return;  8: return: the call at 0 threw twice
  const std::vector<ListedInstruction> code = {Plain(0), Goto(1, 6), Handler(4), If(5, 6),
                                               If(6, 8), Return(7),  Return(8)};
  CHECK(CountBlocks(code, 10, {{5, {{6, 2}}}, {6, {{7, 1}, {8, 9}}}}) ==
        Blocks{{0, 10}, {4, 2}, {6, 10}, {7, 1}, {8, 9}});
}

TEST_CASE("the ways of a branch are edges, also those that nothing is known of") {
  const std::vector<ListedInstruction> code = {If(0, 6), Goto(3, 7), Plain(6), Return(7)};
  const MethodFlow known = CountFlow(code, 10, {{0, {{6, 3}, {3, 7}}}}, {});
  REQUIRE(known.edges.size() == 4);
  CHECK(known.edges[0].count == 7);
  CHECK(known.edges[1].count == 3);
  const MethodFlow unknown = CountFlow(code, 10, {}, {});
  CHECK(!unknown.edges[0].count);
  CHECK(unknown.edges[0].assumed == 0);
}

TEST_CASE("a method without code has no blocks") { CHECK(CountBlocks({}, 3, {}).empty()); }

}  // namespace iprof
