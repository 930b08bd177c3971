// Methods that may not freeze, because of what earlier rounds met.
#include "agent/vm/counting/barred_methods.h"

#include <catch2/catch.hpp>

#include <array>

namespace iprof::vm {
namespace {

constexpr CounterIndex kFirst{10};
constexpr CounterIndex kSecond{20};

using Why = std::optional<WhyKept>;

TEST_CASE("a method whose class is not found is tried again, ever more rarely",
          "[barred_methods]") {
  BarredMethods barred;
  CHECK(barred.WhyNot(kFirst, "a/B", 0) == std::nullopt);
  barred.NoteNotFound(kFirst, 0);
  CHECK(barred.WhyNot(kFirst, "a/B", 29) == Why(WhyKept::kUnchangeable));
  CHECK(barred.WhyNot(kSecond, "a/B", 29) == std::nullopt);
  CHECK(barred.WhyNot(kFirst, "a/B", 30) == std::nullopt);
  barred.NoteNotFound(kFirst, 30);
  CHECK(barred.WhyNot(kFirst, "a/B", 89) == Why(WhyKept::kUnchangeable));
  CHECK(barred.WhyNot(kFirst, "a/B", 90) == std::nullopt);
  // It was loaded again.
  barred.NoteFound(kFirst);
  barred.NoteNotFound(kFirst, 100);
  CHECK(barred.WhyNot(kFirst, "a/B", 130) == std::nullopt);
}

TEST_CASE("a class that the JVM refused to change is not tried again", "[barred_methods]") {
  BarredMethods barred;
  barred.NoteUnchangeable(kFirst);
  barred.NoteThaw();
  CHECK(barred.WhyNot(kFirst, "a/B", 1e6) == Why(WhyKept::kUnchangeable));
  barred.Release({CounterIndex{8}, 4});
  CHECK(barred.WhyNot(kFirst, "a/B", 1e6) == std::nullopt);
}

TEST_CASE("a method that was not entered rests, until methods thaw", "[barred_methods]") {
  BarredMethods barred;
  barred.NoteNotEntered(kFirst, 5);
  CHECK(barred.WhyNot(kFirst, "a/B", 34) == Why(WhyKept::kUncalled));
  CHECK(barred.WhyNot(kFirst, "a/B", 35) == std::nullopt);
  barred.NoteThaw();
  CHECK(barred.WhyNot(kFirst, "a/B", 6) == std::nullopt);
}

TEST_CASE("a class is swapped so many times until its methods thaw", "[barred_methods]") {
  BarredMethods barred;
  for (int swap = 0; swap < BarredMethods::kMostSwaps; ++swap) {
    CHECK(barred.WhyNot(kFirst, "a/B", 0) == std::nullopt);
    // Another method of the class each time.
    barred.NoteSwap("a/B", std::array{CounterIndex{10 + static_cast<uint32_t>(swap)}});
  }
  CHECK(barred.WhyNot(CounterIndex{15}, "a/B", 0) == Why(WhyKept::kSwapped));
  CHECK(barred.WhyNot(kSecond, "a/C", 0) == std::nullopt);
  barred.NoteThaw();
  CHECK(barred.WhyNot(CounterIndex{15}, "a/B", 0) == std::nullopt);
}

TEST_CASE("a class that is deployed again and again begins anew each time", "[barred_methods]") {
  BarredMethods barred;
  for (uint32_t version = 0; version < 10; ++version) {
    const CounterIndex method{100 * version};
    CHECK(barred.WhyNot(method, "a/B", 0) == std::nullopt);
    barred.NoteSwap("a/B", std::array{method});
    // The version before it goes only now.
    if (version > 0) barred.Release({CounterIndex{100 * (version - 1)}, 50});
  }
}

TEST_CASE("a swap counts for all versions of a class that are there", "[barred_methods]") {
  BarredMethods barred;
  for (const CounterIndex method : {kFirst, kFirst, kSecond}) {
    barred.NoteSwap("a/B", std::array{method});
  }
  CHECK(barred.WhyNot(kSecond, "a/B", 0) == Why(WhyKept::kSwapped));
  barred.Release({kFirst, 1});
  CHECK(barred.WhyNot(kSecond, "a/B", 0) == std::nullopt);
}

}  // namespace
}  // namespace iprof::vm
