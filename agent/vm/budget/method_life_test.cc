#include "agent/vm/budget/method_life.h"

#include <catch2/catch.hpp>

#include <array>
#include <map>
#include <string>

namespace iprof::vm {
namespace {

constexpr CounterIndex kFirst{10};
constexpr CounterIndex kSecond{20};

using Why = std::optional<WhyKept>;
using Names = std::set<std::string, std::less<>>;

std::string Cell(size_t state, size_t event) {
  const auto next = Next(static_cast<MethodState>(state), static_cast<MethodEvent>(event));
  return next ? std::string(NameOf(*next)) : "";
}

TEST_CASE("each event in each state", "[method_life]") {
  const std::map<std::string, std::array<std::string, kMethodStates>> expected{
      // counted, frozen, thawing, missing, uncalled, barred
      {"froze", {"frozen", "", "", "frozen", "frozen", ""}},
      {"not found", {"missing", "", "", "missing", "missing", ""}},
      {"not called", {"uncalled", "", "", "uncalled", "uncalled", ""}},
      {"refused", {"barred", "barred", "frozen", "barred", "barred", ""}},
      {"thaw", {"", "thawing", "", "", "counted", ""}},
      {"thawed", {"", "", "counted", "", "", ""}},
  };
  REQUIRE(expected.size() == kMethodEvents);
  for (size_t e = 0; e < kMethodEvents; ++e) {
    const std::string event(NameOf(static_cast<MethodEvent>(e)));
    INFO(event);
    REQUIRE(expected.contains(event));
    for (size_t s = 0; s < kMethodStates; ++s) {
      INFO(NameOf(static_cast<MethodState>(s)));
      CHECK(Cell(s, e) == expected.at(event)[s]);
    }
  }
}

TEST_CASE("an event that the table does not have changes nothing", "[method_life]") {
  MethodLives lives;
  CHECK_FALSE(lives.Take(MethodEvent::kThawed, kFirst, 0));
  CHECK(lives.StateOf(kFirst) == MethodState::kCounted);
  CHECK(lives.Take(MethodEvent::kRefused, kFirst, 0));
  lives.Freeze("a/B", std::array{kFirst}, 0);
  CHECK(lives.StateOf(kFirst) == MethodState::kBarred);
  CHECK(lives.frozen() == 0);
}

TEST_CASE("methods freeze and thaw, but for those of classes that cannot be changed now",
          "[method_life]") {
  MethodLives lives;
  lives.Freeze("a/B", std::array{kFirst, CounterIndex{12}}, 0);
  lives.Freeze("a/C", std::array{kSecond}, 0);
  CHECK(lives.frozen() == 3);
  CHECK(lives.Frozen() == std::vector<CounterIndex>{kFirst, CounterIndex{12}, kSecond});
  CHECK(lives.ClassOfFrozen(kSecond) == "a/C");
  CHECK(lives.ClassOfFrozen(CounterIndex{1}).empty());
  lives.Thaw(Names{"a/C"}, 5);
  CHECK(lives.StateOf(kFirst) == MethodState::kThawing);
  CHECK(lives.StateOf(kSecond) == MethodState::kFrozen);
  CHECK(lives.IsFrozen(kFirst));  // estimated until its class has its probes
  CHECK(lives.Take(MethodEvent::kThawed, kFirst, 6));
  CHECK(lives.Take(MethodEvent::kRefused, CounterIndex{12}, 6));
  CHECK_FALSE(lives.IsFrozen(kFirst));
  CHECK(lives.StateOf(CounterIndex{12}) == MethodState::kFrozen);
  CHECK(lives.frozen() == 2);
  lives.Release({kFirst, 5});
  CHECK(lives.frozen() == 1);
  CHECK(lives.StateOf(CounterIndex{12}) == MethodState::kCounted);
}

TEST_CASE("a class that is refused after its methods froze bars them", "[method_life]") {
  MethodLives lives;
  lives.Freeze("a/B", std::array{kFirst}, 0);
  CHECK(lives.Take(MethodEvent::kRefused, kFirst, 0));
  CHECK(lives.frozen() == 0);
  CHECK(lives.WhyNot(kFirst, "a/B", 1e6) == Why(WhyKept::kUnchangeable));
}

TEST_CASE("a method whose class is not found is tried again, ever more rarely", "[method_life]") {
  MethodLives lives;
  CHECK(lives.WhyNot(kFirst, "a/B", 0) == std::nullopt);
  lives.Take(MethodEvent::kNotFound, kFirst, 0);
  CHECK(lives.WhyNot(kFirst, "a/B", 29) == Why(WhyKept::kMissing));
  CHECK(lives.WhyNot(kSecond, "a/B", 29) == std::nullopt);
  CHECK(lives.WhyNot(kFirst, "a/B", 30) == std::nullopt);
  lives.Take(MethodEvent::kNotFound, kFirst, 30);
  lives.Thaw({}, 50);  // changes nothing
  CHECK(lives.WhyNot(kFirst, "a/B", 89) == Why(WhyKept::kMissing));
  CHECK(lives.WhyNot(kFirst, "a/B", 90) == std::nullopt);
  // It was loaded again.
  lives.Take(MethodEvent::kNotCalled, kFirst, 90);
  lives.Take(MethodEvent::kNotFound, kFirst, 100);
  CHECK(lives.WhyNot(kFirst, "a/B", 130) == std::nullopt);
}

TEST_CASE("a class that the JVM refused to change is not tried again", "[method_life]") {
  MethodLives lives;
  lives.Take(MethodEvent::kRefused, kFirst, 0);
  lives.Thaw({}, 0);
  CHECK(lives.WhyNot(kFirst, "a/B", 1e6) == Why(WhyKept::kUnchangeable));
  lives.Release({CounterIndex{8}, 4});
  CHECK(lives.WhyNot(kFirst, "a/B", 1e6) == std::nullopt);
}

TEST_CASE("a method that was not entered rests, until methods thaw", "[method_life]") {
  MethodLives lives;
  lives.Take(MethodEvent::kNotCalled, kFirst, 5);
  CHECK(lives.WhyNot(kFirst, "a/B", 34) == Why(WhyKept::kUncalled));
  CHECK(lives.WhyNot(kFirst, "a/B", 35) == std::nullopt);
  lives.Thaw({}, 6);
  CHECK(lives.WhyNot(kFirst, "a/B", 6) == std::nullopt);
}

TEST_CASE("a class is swapped so many times until its methods thaw", "[method_life]") {
  MethodLives lives;
  for (int swap = 0; swap < MethodLives::kMostSwaps; ++swap) {
    CHECK(lives.WhyNot(CounterIndex{15}, "a/B", 0) == std::nullopt);
    // Another method of the class each time.
    lives.Freeze("a/B", std::array{CounterIndex{10 + static_cast<uint32_t>(swap)}}, 0);
  }
  CHECK(lives.WhyNot(CounterIndex{15}, "a/B", 0) == Why(WhyKept::kSwapped));
  CHECK(lives.WhyNot(kSecond, "a/C", 0) == std::nullopt);
  lives.Thaw({}, 0);
  CHECK(lives.WhyNot(CounterIndex{15}, "a/B", 0) == std::nullopt);
}

TEST_CASE("a class that is deployed again and again begins as counted each time", "[method_life]") {
  MethodLives lives;
  for (uint32_t version = 0; version < 10; ++version) {
    const CounterIndex method{100 * version};
    CHECK(lives.WhyNot(method, "a/B", 0) == std::nullopt);
    lives.Freeze("a/B", std::array{method}, 0);
    // The version before it goes only now.
    if (version > 0) lives.Release({CounterIndex{100 * (version - 1)}, 50});
  }
}

TEST_CASE("a swap counts for all versions of a class that are there", "[method_life]") {
  MethodLives lives;
  for (const CounterIndex method : {kFirst, CounterIndex{30}, kSecond}) {
    lives.Freeze("a/B", std::array{method}, 0);
  }
  CHECK(lives.WhyNot(kSecond, "a/B", 0) == Why(WhyKept::kSwapped));
  lives.Release({kFirst, 1});
  CHECK(lives.WhyNot(kSecond, "a/B", 0) == std::nullopt);
}

}  // namespace
}  // namespace iprof::vm
