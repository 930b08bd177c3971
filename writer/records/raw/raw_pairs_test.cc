#include "writer/records/raw/raw_pairs.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

using Kind = RawPairs::Kind;

std::vector<uint64_t> Kept(RawPairs& pairs, const std::vector<uint64_t>& counts,
                           uint64_t* left_out) {
  *left_out = 0;
  const auto kept = pairs.Kept(counts, 0.02, left_out);
  return {kept.begin(), kept.end()};
}

TEST_CASE("counts are not copied while every pair has a record") {
  RawPairs pairs;
  pairs.Add(0, 7, Kind::kType);
  const std::vector<uint64_t> counts{5};
  uint64_t left_out = 0;
  CHECK(pairs.Kept(counts, 0.02, &left_out).data() == counts.data());
  CHECK(left_out == 0);
}

TEST_CASE("a site that lacks more than may be lost has no counts, and others have theirs") {
  RawPairs pairs;
  pairs.Add(0, 7, Kind::kType);
  pairs.Add(1, 8, Kind::kType);
  pairs.Add(2, 7, Kind::kNoRecord);
  pairs.Add(3, 9, Kind::kNoRecord);
  uint64_t left_out = 0;
  CHECK(Kept(pairs, {10, 60, 90, 5}, &left_out) == std::vector<uint64_t>{0, 60, 0, 0});
  CHECK(left_out == 1);
  // Two of 100 may be lost, and three may not.
  CHECK(Kept(pairs, {98, 60, 2, 5}, &left_out) == std::vector<uint64_t>{98, 60, 0, 0});
  CHECK(left_out == 0);
  CHECK(Kept(pairs, {97, 60, 3, 5}, &left_out) == std::vector<uint64_t>{0, 60, 0, 0});
  // After a reset, the site sees only types that the file knows.
  CHECK(Kept(pairs, {97, 60}, &left_out) == std::vector<uint64_t>{97, 60});
}

TEST_CASE("objects that are known as lost count with those that the file cannot name") {
  RawPairs pairs;
  pairs.Add(0, 7, Kind::kType);
  pairs.Add(1, 7, Kind::kLost);
  pairs.Add(2, 7, Kind::kNoRecord);
  uint64_t left_out = 0;
  CHECK(Kept(pairs, {98, 1, 1}, &left_out) == std::vector<uint64_t>{98, 1, 0});
  CHECK(Kept(pairs, {97, 2, 1}, &left_out) == std::vector<uint64_t>{0, 0, 0});
}

}  // namespace
}  // namespace iprof
