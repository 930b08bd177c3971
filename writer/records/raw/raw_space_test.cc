#include "writer/records/raw/raw_space.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

namespace iprof {
namespace {

constexpr uint64_t kPage = kRawPageBytes;

TEST_CASE("places in the log and in arrays do not overlap, and stay where they are") {
  RawSpace space(uint64_t{1} << 24);
  std::mt19937 random(3);
  RawLengths lengths;
  std::map<std::pair<int, uint64_t>, uint64_t> places;  // of pages
  for (int round = 0; round < 30; ++round) {
    lengths.log += random() % 20'000;
    for (uint64_t& bytes : lengths.arrays) bytes += random() % 20'000;
    REQUIRE(space.Fits(lengths, 0));
    space.Grow(lengths, 0);
    std::set<uint64_t> used;
    const auto note = [&](int part, uint64_t page, uint64_t offset) {
      REQUIRE(offset % kPage == 0);
      REQUIRE(offset >= kRawFirstExtent);
      REQUIRE(offset + kPage <= space.file_bytes());
      REQUIRE(used.insert(offset).second);
      const auto [known, is_new] = places.try_emplace({part, page}, offset);
      REQUIRE(known->second == offset);
    };
    uint64_t log = 0;
    space.ForEachLogPiece(0, lengths.log, [&](uint64_t offset, uint64_t at, uint64_t bytes) {
      REQUIRE(at == log);
      log += bytes;
      for (uint64_t page = 0; page < RawPagesOf(bytes); ++page)
        note(0, at / kPage + page, offset + page * kPage);
      return true;
    });
    REQUIRE(log == lengths.log);
    for (int part = 1; part <= 10; ++part) {
      const auto array = static_cast<RawArray>((part - 1) / 2);
      const auto copy = static_cast<size_t>(part % 2);
      uint64_t pages = 0;
      const uint64_t end = space.pages(array);
      space.ForEachPiece(array, copy, 0, end, [&](uint64_t offset, uint64_t first, uint64_t count) {
        REQUIRE(first == pages);
        pages += count;
        for (uint64_t page = 0; page < count; ++page)
          note(part, first + page, offset + page * kPage);
        return true;
      });
      REQUIRE(pages == end);
    }
  }
}

TEST_CASE("what fits once fits later, up to the last byte") {
  RawSpace space(40 * kPage);
  RawLengths lengths;
  const uint64_t spare = 4 * kPage;
  uint64_t added = 0;
  std::mt19937 random(4);
  while (true) {
    RawLengths more = lengths;
    more.log += 300;
    more.arrays[0] += 64;
    if (!space.Fits(more, spare)) break;
    lengths = more;
    ++added;
    if (random() % 3 == 0) space.Grow(lengths, spare);
    REQUIRE(space.file_bytes() <= space.most_bytes());
  }
  CHECK(added > 100);
  // What was spared can be used now, in small steps.
  for (uint64_t step = 0; step < spare; step += 16) {
    lengths.log += 16;
    REQUIRE(space.Fits(lengths, 0));
    space.Grow(lengths, spare - step - 16);
    REQUIRE(space.file_bytes() <= space.most_bytes());
    REQUIRE(space.log_bytes() >= lengths.log);
  }
}

TEST_CASE("nothing grows beyond the maximum") {
  RawSpace space(20 * kPage);
  RawLengths lengths{.log = 30 * kPage, .arrays = {}};
  CHECK_FALSE(space.Fits(lengths, 0));
  CHECK(space.Grow(lengths, 0).empty());
  CHECK(space.file_bytes() == kRawFirstExtent);
}

TEST_CASE("a reader finds the places by adding the same extents") {
  RawSpace space(uint64_t{1} << 24);
  RawSpace reader(kMostRawBytes);
  for (uint64_t bytes = 1000; bytes < 1'000'000; bytes *= 3) {
    for (const RawSpace::Extent& extent : space.Grow({bytes, {bytes, bytes / 2, 8, 50}}, 0)) {
      CHECK(reader.file_bytes() == extent.offset);
      reader.Add(extent.extent);
    }
  }
  CHECK(reader.file_bytes() == space.file_bytes());
  CHECK(reader.log_bytes() == space.log_bytes());
  for (size_t array = 0; array < kRawArrays; ++array)
    CHECK(reader.pages(static_cast<RawArray>(array)) == space.pages(static_cast<RawArray>(array)));
}

}  // namespace
}  // namespace iprof
