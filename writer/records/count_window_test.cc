#include "writer/records/count_window.h"

#include <catch2/catch.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace iprof {
namespace {

RawCounts Counts(std::vector<uint64_t> counters, uint64_t first_type = 0, uint64_t second_type = 0,
                 uint64_t lost = 0) {
  RawCounts counts{std::move(counters), {}};
  if (first_type > 0) counts.types.Add(5, "a.First", first_type);
  if (second_type > 0) counts.types.Add(5, "a.Second", second_type);
  if (lost > 0) counts.types.AddLost(5, lost);
  return counts;
}

uint64_t CountOf(const TypeCounts& types, uint32_t site, std::string_view name) {
  const TypeCounts::Site* const found = types.Find(site);
  if (found == nullptr) return 0;
  for (const auto& [type, count] : found->types) {
    if (types.TypeName(type) == name) return count;
  }
  return 0;
}

uint64_t LostAt(const TypeCounts& types, uint32_t site) {
  const TypeCounts::Site* const found = types.Find(site);
  return found == nullptr ? 0 : found->lost;
}

}  // namespace

TEST_CASE("A new window lets all counts through and uses no memory", "[count_window]") {
  const CountWindow window;
  const RawCounts within = window.Within(Counts({1, 2, 3}, 4, 0, 6));
  CHECK(within.counters == std::vector<uint64_t>{1, 2, 3});
  CHECK(CountOf(within.types, 5, "a.First") == 4);
  CHECK(LostAt(within.types, 5) == 6);
  CHECK(window.bytes() <= CountWindow().bytes());
}

TEST_CASE("A reset forgets what was counted so far, and only that", "[count_window]") {
  CountWindow window;
  window.Reset(Counts({10, 20}, 100, 0, 7));
  const RawCounts at_once = window.Within(Counts({10, 20}, 100, 0, 7));
  CHECK(at_once.counters == std::vector<uint64_t>{0, 0});
  CHECK(at_once.types.Find(5)->types.empty());
  const RawCounts later = window.Within(Counts({11, 20, 5}, 103, 9, 8));
  CHECK(later.counters == std::vector<uint64_t>{1, 0, 5});
  CHECK(CountOf(later.types, 5, "a.First") == 3);
  CHECK(CountOf(later.types, 5, "a.Second") == 9);
  CHECK(LostAt(later.types, 5) == 1);
}

TEST_CASE("What is counted while the window is closed never appears", "[count_window]") {
  CountWindow window;
  window.Close(Counts({10, 1}, 100));
  CHECK_FALSE(window.is_open());
  CHECK(window.Within(Counts({99, 99}, 999, 50)).counters == std::vector<uint64_t>{10, 1});
  CHECK(CountOf(window.Within(Counts({99}, 999)).types, 5, "a.First") == 100);
  window.Open(Counts({15, 1, 4}, 130, 20, 2));
  CHECK(window.is_open());
  const RawCounts open = window.Within(Counts({16, 3, 4, 8}, 131, 22, 2));
  CHECK(open.counters == std::vector<uint64_t>{11, 3, 0, 8});
  CHECK(CountOf(open.types, 5, "a.First") == 101);
  CHECK(CountOf(open.types, 5, "a.Second") == 2);
  CHECK(LostAt(open.types, 5) == 0);
}

TEST_CASE("Cycles of close, open and reset add up", "[count_window]") {
  CountWindow window;
  uint64_t raw = 0;
  uint64_t expected = 0;
  for (uint64_t cycle = 1; cycle <= 50; ++cycle) {
    raw += cycle;
    expected += cycle;
    window.Close(Counts({raw}));
    raw += 1000;
    window.Open(Counts({raw}));
    if (cycle % 7 == 0) {
      window.Reset(Counts({raw}));
      expected = 0;
    }
    REQUIRE(window.Within(Counts({raw})).counters.at(0) == expected);
  }
}

TEST_CASE("A reset of a closed window forgets what it holds", "[count_window]") {
  CountWindow window;
  window.Close(Counts({10}, 3));
  window.Reset(Counts({500}, 400));
  CHECK(window.Within(Counts({600}, 500)).counters == std::vector<uint64_t>{0});
  window.Open(Counts({700}, 600));
  const RawCounts within = window.Within(Counts({701}, 602));
  CHECK(within.counters == std::vector<uint64_t>{1});
  CHECK(CountOf(within.types, 5, "a.First") == 2);
}

TEST_CASE("Counters alone are the same as with the classes", "[count_window]") {
  CountWindow window;
  window.Reset(Counts({10, 20}, 1));
  std::vector<uint64_t> now{11, 25, 7};
  window.CountersWithin(&now);
  CHECK(now == window.Within(Counts({11, 25, 7})).counters);
  CHECK(now == std::vector<uint64_t>{1, 5, 7});
  CHECK(window.types_at_close() == nullptr);
  CHECK(CountOf(window.types_outside(), 5, "a.First") == 1);

  window.Close(Counts({15, 30}, 3));
  now = {100, 200};
  window.CountersWithin(&now);
  CHECK(now == std::vector<uint64_t>{5, 10});
  REQUIRE(window.types_at_close() != nullptr);
  CHECK(CountOf(*window.types_at_close(), 5, "a.First") == 3);
}

TEST_CASE("A range that is given to another class starts from zero", "[count_window]") {
  CountWindow window;
  window.Reset(Counts({10, 20, 30}, 100, 0, 5));
  std::vector<uint64_t> values{25, 31};
  window.Release({CounterIndex{1}, 2}, values);
  CHECK(values == std::vector<uint64_t>{5, 1});
  TypeCounts taken;
  taken.Add(5, "a.First", 103);
  taken.AddLost(5, 5);
  window.ReleaseSite(5, taken);
  CHECK(CountOf(taken, 5, "a.First") == 3);
  CHECK(LostAt(taken, 5) == 0);
  // The next user's counts begin at zero in the JVM, too.
  const RawCounts within = window.Within(Counts({12, 7, 8}, 1));
  CHECK(within.counters == std::vector<uint64_t>{2, 7, 8});
  CHECK(CountOf(within.types, 5, "a.First") == 1);
}

TEST_CASE("A range that is released while the window is closed has its counts of the close",
          "[count_window]") {
  CountWindow window;
  window.Reset(Counts({4}, 1));
  window.Close(Counts({9}, 7));
  std::vector<uint64_t> values{1000};
  window.Release({CounterIndex{0}, 1}, values);
  CHECK(values == std::vector<uint64_t>{5});
  TypeCounts taken;
  taken.Add(5, "a.First", 5000);
  taken.Add(5, "a.Second", 1);
  window.ReleaseSite(5, taken);
  CHECK(CountOf(taken, 5, "a.First") == 6);
  CHECK(CountOf(taken, 5, "a.Second") == 0);
  // What the next user counts before the window is opened is outside.
  window.Open(Counts({3}, 2));
  CHECK(window.Within(Counts({4}, 2)).counters == std::vector<uint64_t>{1});
}

TEST_CASE("More subtracted than there is gives zero", "[count_window]") {
  CountWindow window;
  window.Reset(Counts({10}, 10, 0, 10));
  const RawCounts within = window.Within(Counts({3}, 4, 0, 5));
  CHECK(within.counters == std::vector<uint64_t>{0});
  CHECK(CountOf(within.types, 5, "a.First") == 0);
  CHECK(LostAt(within.types, 5) == 0);
}

}  // namespace iprof
