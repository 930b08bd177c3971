#include "agent/hotspot/method_data.h"

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

using classfile::Op;
using Words = std::vector<uint64_t>;

uint64_t Header(DataTag tag, uint64_t bci) { return static_cast<uint64_t>(tag) | bci << 16; }

// An if at 4, a call at 7 with two classes and three unlisted objects, a switch at 12.
Words Example(bool extra_cell) {
  Words words = {Header(DataTag::kBranch, 4), 30, 24, 70};
  words.insert(words.end(), {Header(DataTag::kVirtualCall, 7), 3});
  if (extra_cell) words.push_back(0);
  words.insert(words.end(), {0x1000, 80, 0x2000, 20});
  words.insert(words.end(), {Header(DataTag::kMultiBranch, 12), 6, 5, 0, 1, 0, 2, 0});
  return words;
}

TEST_CASE("records are split by their tags, and end with the data") {
  for (const bool extra_cell : {false, true}) {
    const Words words = Example(extra_cell);
    const DataShape shape{.has_extra_cell = extra_cell};
    const auto records = SplitMethodData(words, shape);
    REQUIRE(records);
    REQUIRE(records->size() == 3);
    CHECK((*records)[0].bci == 4);
    CHECK(ReadEdges((*records)[0]) == EdgeCounts{30, 70});
    const TypeRows rows = ReadTypeRows((*records)[1], shape);
    CHECK(rows.unlisted == 3);
    CHECK(rows.is_full);
    REQUIRE(rows.rows().size() == 2);
    CHECK(rows.rows()[1].klass == 0x2000);
    CHECK(rows.rows()[1].count == 20);
    CHECK(ReadEdges((*records)[2]) == EdgeCounts{1, 2, 5});  // keys, then the default
  }
}

TEST_CASE("HotSpot has at most eight rows of classes") {
  Words words = {Header(DataTag::kVirtualCall, 4), 0};
  for (uint64_t row = 1; row <= 9; ++row) words.insert(words.end(), {0x1000 * row, row});
  const Words eight(words.begin(), words.end() - 2);
  for (const uint32_t rows : {8U, 9U}) {
    const DataShape shape{.type_rows = rows};
    const auto records = SplitMethodData(rows == 8 ? eight : words, shape);
    REQUIRE(records);
    CHECK(ReadTypeRows(records->front(), shape).rows().size() == 8);
  }
}

TEST_CASE("data with the wrong shape, end or order is refused") {
  const Words words = Example(false);
  CHECK_FALSE(SplitMethodData(words, {.has_extra_cell = true}));
  CHECK_FALSE(SplitMethodData(words, {.type_rows = 3}));
  CHECK_FALSE(SplitMethodData(std::span(words).first(words.size() - 1), {}));
  const Words same = {Header(DataTag::kCounter, 4), 1, Header(DataTag::kCounter, 4), 1};
  CHECK_FALSE(SplitMethodData(same, {}));
  CHECK_FALSE(SplitMethodData(Words{Header(DataTag{14}, 0)}, {}));
  CHECK_FALSE(SplitMethodData(Words{Header(DataTag::kMultiBranch, 0), UINT64_MAX}, {}));
  CHECK_FALSE(SplitMethodData(Words{Header(DataTag::kCallType, 0), 1}, {}));
  CHECK(SplitMethodData({}, {})->empty());
}

TEST_CASE("what a MethodData held earlier is subtracted, record by record") {
  for (const bool extra_cell : {false, true}) {
    const DataShape shape{.has_extra_cell = extra_cell};
    const Words earlier = Example(extra_cell);
    Words now = earlier;
    CHECK(SubtractMethodData(now, earlier, shape, 0) == false);  // nothing is left
    CHECK(ReadEdges((*SplitMethodData(now, shape))[0]) == EdgeCounts{0, 0});
    now = earlier;
    now[1] += 4;                   // the branch, taken
    now[now.size() - 8 + 2] += 5;  // the switch's default
    now[now.size() - 8 - 3] += 6;  // the first class
    CHECK(SubtractMethodData(now, earlier, shape, 0) == true);
    const auto records = SplitMethodData(now, shape);
    CHECK(ReadEdges((*records)[0]) == EdgeCounts{4, 0});
    CHECK(ReadEdges((*records)[2]) == EdgeCounts{0, 0, 5});
    const TypeRows rows = ReadTypeRows((*records)[1], shape);
    CHECK(rows.unlisted == 0);
    REQUIRE(rows.rows().size() == 1);
    CHECK(rows.rows()[0].klass == 0x1000);
    CHECK(rows.rows()[0].count == 6);
    now = earlier;
    --now[3];  // the branch, not taken
    CHECK_FALSE(SubtractMethodData(now, earlier, shape, 0));
    now = earlier;
    now[0] = Header(DataTag::kBranch, 5);
    CHECK_FALSE(SubtractMethodData(now, earlier, shape, 0));
    now = earlier;
    CHECK_FALSE(SubtractMethodData(now, std::span(earlier).first(4), shape, 0));
  }
}

TEST_CASE("failed type checks count below zero, also earlier") {
  const Words earlier = {Header(DataTag::kReceiverType, 4), uint64_t(-5), 0, 0, 0, 0};
  Words now = earlier;
  now[1] = uint64_t(-9);
  CHECK(SubtractMethodData(now, earlier, {}, 0) == true);
  CHECK(now[1] == uint64_t(-4));
  now[1] = uint64_t(-4);
  CHECK_FALSE(SubtractMethodData(now, earlier, {}, 0));
}

TEST_CASE("types of arguments are skipped") {
  const Words words = {Header(DataTag::kCallType, 1), 9, 2, 0, 0, Header(DataTag::kCounter, 5), 4};
  const auto records = SplitMethodData(words, {});
  REQUIRE(records);
  REQUIRE(records->size() == 2);
  CHECK(ReadCount((*records)[0]) == 9);
  CHECK(ReadCount((*records)[1]) == 4);
}

TEST_CASE("the extra cell is found by what parses") {
  const Words with = Example(true);
  const Words without = Example(false);
  const Words either = {Header(DataTag::kCounter, 1), 3};
  using Samples = std::vector<std::span<const uint64_t>>;
  for (const bool fallback : {false, true}) {
    CHECK(VoteForExtraCell(Samples(3, with), {}, fallback));
    CHECK_FALSE(VoteForExtraCell(Samples(3, without), {}, fallback));
    CHECK(VoteForExtraCell(Samples{either}, {}, fallback) == fallback);
  }
}

TEST_CASE("records belong to instructions of their kind") {
  CHECK(FitsInstruction(DataTag::kBranch, Op::ifnull));
  CHECK_FALSE(FitsInstruction(DataTag::kBranch, Op::goto_));
  CHECK(FitsInstruction(DataTag::kJump, Op::goto_));
  CHECK(FitsInstruction(DataTag::kMultiBranch, Op::lookupswitch));
  CHECK(FitsInstruction(DataTag::kVirtualCall, Op::invokeinterface));
  CHECK_FALSE(FitsInstruction(DataTag::kVirtualCall, Op::invokestatic));
  CHECK(FitsInstruction(DataTag::kCounter, Op::invokedynamic));
  CHECK(FitsInstruction(DataTag::kReceiverType, Op::aastore));
  CHECK_FALSE(FitsInstruction(DataTag::kArgumentInfo, Op::nop));
}

}  // namespace
}  // namespace iprof::hotspot
