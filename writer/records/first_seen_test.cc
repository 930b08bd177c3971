#include "writer/records/first_seen.h"

#include <catch2/catch.hpp>
#include <vector>

namespace iprof {
namespace {

std::vector<uint16_t> Seen(const FirstSeen& first) {
  return {first.by_counter().begin(), first.by_counter().end()};
}

TEST_CASE("each counter has the reading that first saw it") {
  FirstSeen first;
  first.Note(std::vector<uint64_t>{0, 0, 7, 0, 0, 1});
  first.Note(std::vector<uint64_t>{0, 0, 9, 0, 0, 1});  // nothing new
  first.Note(std::vector<uint64_t>{0, 3, 9, 0, 0, 1, 4});
  CHECK(Seen(first) == std::vector<uint16_t>{0, 2, 1, 0, 0, 1, 2});
  CHECK(first.readings() == 2);
  CHECK(first.NewIn(1) == std::vector<uint32_t>{2, 5});
  CHECK(first.NewIn(2) == std::vector<uint32_t>{1, 6});
}

TEST_CASE("counters that are zero again are forgotten") {
  FirstSeen first;
  first.Note(std::vector<uint64_t>{1, 2, 3});
  first.Note(std::vector<uint64_t>{1});
  CHECK(Seen(first) == std::vector<uint16_t>{1, 0, 0});
  first.Note(std::vector<uint64_t>{1, 5, 0});
  CHECK(Seen(first) == std::vector<uint16_t>{1, 2, 0});
}

TEST_CASE("what one object says of its readings makes another one the same") {
  FirstSeen first;
  first.Note(std::vector<uint64_t>{1, 0, 3});
  first.Note(std::vector<uint64_t>{1, 4, 3});
  FirstSeen copy;
  for (uint16_t reading = 1; reading <= first.readings(); ++reading)
    copy.NoteNew(first.NewIn(reading));
  CHECK(Seen(copy) == Seen(first));
}

TEST_CASE("of a method, its earliest counter counts") {
  const std::vector<uint16_t> seen{0, 3, 2, 0};
  CHECK(EarliestOf(seen, {CounterIndex{0}, 3}) == 2);
  CHECK(EarliestOf(seen, {CounterIndex{3}, 1}) == 0);
  CHECK(EarliestOf(seen, {CounterIndex{2}, 100}) == 2);
  CHECK(EarliestOf(seen, {CounterIndex{9}, 1}) == 0);
}

}  // namespace
}  // namespace iprof
