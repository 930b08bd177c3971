#include "writer/records/frozen_counts.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>

#include "writer/records/testing_program.h"

namespace iprof {
namespace {

size_t Index(CounterIndex first) { return static_cast<size_t>(first); }

// main calls a and b, and a calls leaf twice. Time goes on by a second in each interval.
struct Running {
  TestProgram program;
  CounterIndex main, a, b, leaf;
  std::vector<uint64_t> raw;    // what probes counted
  std::vector<uint64_t> truth;  // what they would have counted
  std::map<CounterIndex, bool> frozen;
  FrozenCounts counts;
  double seconds = 0;

  Running() {
    ClassRecord& c = program.Class("P");
    main = program.Method(c, "main", {Static("P", "a"), Static("P", "b")});
    a = program.Method(c, "a", {Static("P", "leaf")});
    b = program.Method(c, "b", {Static("P", "leaf")});
    leaf = program.Method(c, "leaf");
    raw.resize(8);
    truth.resize(8);
    counts.Restart(raw, 0);
  }

  void Count(CounterIndex method, size_t counter, uint64_t times) {
    truth[Index(method) + counter] += times;
    if (!frozen[method]) raw[Index(method) + counter] += times;
  }
  // `as` calls of a and `bs` of b by main, which is entered once.
  void Run(uint64_t as, uint64_t bs, uint64_t leaves_of_a = 2) {
    Count(main, 0, 1);
    Count(main, 1, as);
    Count(main, 2, bs);
    Count(a, 0, as);
    Count(a, 1, as * leaves_of_a);
    Count(b, 0, bs);
    Count(b, 1, bs);
    Count(leaf, 0, as * leaves_of_a + bs);
    seconds += 1;
  }
  void Freeze(std::vector<CounterIndex> methods) {
    const RecordedClasses classes = program.Classes();
    for (const CounterIndex froze : counts.Freeze({classes, raw, seconds}, methods))
      frozen[froze] = true;
  }
  std::vector<uint64_t> Estimated() const {
    const RecordedClasses classes = program.Classes();
    RawCounts estimate{raw, {}};
    counts.AddTo({classes, raw, seconds}, estimate);
    return estimate.counters;
  }
};

TEST_CASE("frozen methods follow the callers that still count", "[frozen_counts]") {
  Running p;
  p.Run(1000, 10);
  p.Freeze({p.a, p.leaf});
  CHECK(p.counts.frozen() == 2);
  CHECK(p.counts.IsFrozen(p.a));
  CHECK_FALSE(p.counts.IsFrozen(p.b));
  // Another mix: leaf follows a, which is frozen too, and b, which is not.
  p.Run(100, 5000);
  CHECK(p.Estimated() == p.truth);
  CHECK(p.raw != p.truth);
  // Asking changes nothing.
  CHECK(p.Estimated() == p.truth);
  p.Freeze({});
  p.Run(7, 3);
  CHECK(p.Estimated() == p.truth);
}

TEST_CASE("a shape that changes is noticed once the method thaws", "[frozen_counts]") {
  Running p;
  p.Run(1000, 10);
  p.Freeze({p.a, p.leaf});
  p.Run(1000, 10, 6);
  const uint64_t wrong = p.truth[Index(p.leaf)] - p.Estimated()[Index(p.leaf)];
  CHECK(wrong == 4000);

  const RecordedClasses classes = p.program.Classes();
  p.counts.Advance({classes, p.raw, p.seconds});
  p.counts.Thaw(std::array{p.a, p.leaf, p.b});
  CHECK(p.counts.frozen() == 0);
  CHECK(p.counts.known() == 2);  // their estimates stay
  p.frozen.clear();
  p.Run(1000, 10, 6);
  p.Freeze({p.a, p.leaf});
  p.Run(50'000, 10, 6);
  // Nothing more was missed.
  CHECK(p.truth[Index(p.leaf)] - p.Estimated()[Index(p.leaf)] == wrong);
}

TEST_CASE("old code that still counts is not counted twice", "[frozen_counts]") {
  Running p;
  p.Run(1000, 10);
  p.Freeze({p.a, p.leaf});
  p.frozen.clear();  // the JVM refused to change the class
  p.Run(3000, 500);
  CHECK(p.raw == p.truth);
  CHECK(p.Estimated() == p.truth);
}

TEST_CASE("calls by old code that still runs are counted", "[frozen_counts]") {
  Running p;
  p.Run(1000, 10);
  p.Freeze({p.a, p.leaf});
  // A call of a, from before it froze, goes on in its loop: it counts calls of leaf, but no entry.
  p.raw[Index(p.a) + 1] += 700;
  p.truth[Index(p.a) + 1] += 700;
  p.truth[Index(p.leaf)] += 700;
  CHECK(p.Estimated() == p.truth);
  // Beside new calls, which are estimated.
  p.Run(40, 3);
  CHECK(p.Estimated() == p.truth);
}

TEST_CASE("methods that froze at different times cannot feed each other without end",
          "[frozen_counts]") {
  TestProgram program;
  ClassRecord& c = program.Class("P");
  program.Method(c, "main", {Static("P", "a"), Static("P", "b")});    // 0, 1, 2
  const CounterIndex a = program.Method(c, "a", {Static("P", "b")});  // 3, 4
  const CounterIndex b = program.Method(c, "b", {Static("P", "a")});  // 5, 6
  const RecordedClasses classes = program.Classes();
  FrozenCounts counts;
  counts.Restart(std::vector<uint64_t>(7), 0);
  // Each entry of a calls b twice; later each entry of b calls a twice.
  REQUIRE(
      counts.Freeze({classes, std::vector<uint64_t>{1, 100, 0, 100, 200, 200, 0}, 1}, std::array{a})
          .size() == 1);
  REQUIRE(counts
              .Freeze({classes, std::vector<uint64_t>{2, 100, 100, 100, 200, 300, 200}, 2},
                      std::array{b})
              .size() == 1);
  const std::vector<uint64_t> after{3, 200, 100, 100, 200, 300, 200};
  RawCounts estimate{after, {}};
  counts.AddTo({classes, after, 3}, estimate);
  const double most = FrozenCounts::kMostGrowth * 1000;
  CHECK(static_cast<double>(estimate.counters[3]) < most);
  CHECK(static_cast<double>(estimate.counters[5]) < most);
}

// Methods call those behind them, in each interval another number of times per entry.
struct RandomCalls {
  static constexpr uint32_t kMethods = 8;
  struct Site {
    size_t counter = 0;
    uint32_t callee = 0;
  };
  std::mt19937 random;
  std::vector<std::string> names;
  TestProgram program;
  std::vector<CounterIndex> methods;
  std::vector<std::vector<Site>> sites{kMethods};  // by caller
  std::vector<uint64_t> raw;
  std::vector<bool> frozen = std::vector<bool>(kMethods);
  FrozenCounts counts;
  double seconds = 0;

  explicit RandomCalls(uint32_t seed) : random(seed) {
    for (uint32_t m = 0; m < kMethods; ++m) names.push_back("m" + std::to_string(m));
    ClassRecord& c = program.Class("P");
    for (uint32_t m = 0; m < kMethods; ++m) {
      std::vector<Callee> calls;
      for (uint32_t to = m + 1; to < kMethods; ++to) {
        if (random() % 2 == 0) continue;
        calls.push_back(Static("P", names[to]));
        sites[m].push_back({raw.size() + calls.size(), to});
      }
      methods.push_back(program.Method(c, names[m], calls));
      raw.resize(raw.size() + 1 + calls.size());
    }
    counts.Restart(raw, 0);
  }

  void Interval() {
    std::vector<uint64_t> entries(kMethods);
    entries[0] = 1 + random() % 1000;
    for (uint32_t m = 0; m < kMethods; ++m) {
      if (!frozen[m]) raw[Index(methods[m])] += entries[m];
      for (const Site& site : sites[m]) {
        const uint64_t calls = entries[m] * (random() % 8) / 2;
        if (!frozen[m]) raw[site.counter] += calls;
        entries[site.callee] += calls;
      }
    }
    seconds += 1;
  }

  // Ends an interval, and some methods freeze.
  void Freeze() {
    std::vector<CounterIndex> freeze;
    for (uint32_t m = 1; m < kMethods; ++m) {
      if (random() % 2 == 0) freeze.push_back(methods[m]);
    }
    const RecordedClasses classes = program.Classes();
    counts.Freeze({classes, raw, seconds}, freeze);
    for (uint32_t m = 0; m < kMethods; ++m) frozen[m] = counts.IsFrozen(methods[m]);
  }
};

TEST_CASE("a frozen method never gets more calls than its callers make", "[frozen_counts]") {
  uint64_t estimated = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    RandomCalls p(seed);
    p.Interval();
    p.Freeze();
    const std::vector<uint64_t> then = p.raw;
    for (int interval = 0; interval < 4; ++interval) {
      p.Interval();
      const RecordedClasses classes = p.program.Classes();
      p.counts.Advance({classes, p.raw, p.seconds});
    }
    RawCounts now{p.raw, {}};
    p.counts.AddTo(now);
    std::vector<uint64_t> most(RandomCalls::kMethods, 1);  // each number is rounded
    for (const auto& sites : p.sites) {
      for (const auto& [counter, callee] : sites)
        most[callee] += now.counters[counter] - then[counter] + 1;
    }
    for (uint32_t m = 0; m < RandomCalls::kMethods; ++m) {
      if (!p.frozen[m]) continue;
      CAPTURE(seed, m);
      const size_t first = Index(p.methods[m]);
      CHECK(now.counters[first] - then[first] <= most[m]);
      estimated += now.counters[first] - then[first];
    }
  }
  CHECK(estimated > 1'000'000);
}

TEST_CASE("a method that was not entered does not freeze", "[frozen_counts]") {
  Running p;
  p.Run(10, 0);
  p.Freeze({p.a, p.b});
  CHECK(p.counts.frozen() == 1);
}

TEST_CASE("entries that have no counter of their own", "[frozen_counts]") {
  TestProgram program;
  ClassRecord& c = program.Class("P");
  program.Method(c, "main", {Static("P", "f")});  // 0, 1
  // Entries are the sum of two ways through the method.
  const CounterIndex f = program.Method(c, "f", {Static("P", "none")});  // 2, 3
  MethodRecord record;
  record.derivation.counter_count = 2;
  record.derivation.operands = {Operand::Plus(0), Operand::Plus(1)};
  record.derivation.step_end = {2};
  record.entry = 2;
  c.methods[1].record = static_cast<uint32_t>(c.records.size());
  EncodeMethodRecord(record, &c.records);
  const RecordedClasses classes = program.Classes();
  FrozenCounts counts;
  counts.Restart(std::vector<uint64_t>(4), 0);
  REQUIRE(counts.Freeze({classes, std::vector<uint64_t>{1, 10, 6, 4}, 1}, std::array{f}).size() ==
          1);
  const std::vector<uint64_t> after{2, 40, 6, 4};
  RawCounts estimate{after, {}};
  const auto calls = counts.AddTo({classes, after, 2}, estimate);
  CHECK(estimate.counters == std::vector<uint64_t>{2, 40, 24, 16});
  CHECK(calls == MethodEstimates{{"P.f()void", {30, 10}}});
}

TEST_CASE("recursion", "[frozen_counts]") {
  TestProgram program;
  ClassRecord& c = program.Class("P");
  program.Method(c, "main", {Static("P", "fib")});  // counters 0 and 1
  const CounterIndex fib = program.Method(c, "fib", {Static("P", "fib")});
  const RecordedClasses classes = program.Classes();
  FrozenCounts counts;
  counts.Restart(std::vector<uint64_t>(4), 0);
  const std::vector<uint64_t> before{1, 2, 2000, 1998};
  REQUIRE(counts.Freeze({classes, before, 1}, std::array{fib}).size() == 1);
  const std::vector<uint64_t> after{2, 12, 2000, 1998};
  RawCounts estimate{after, {}};
  counts.AddTo({classes, after, 2}, estimate);
  CHECK(estimate.counters == std::vector<uint64_t>{2, 12, 12000, 11988});
}

TEST_CASE("deep recursion through two methods", "[frozen_counts]") {
  TestProgram program;
  ClassRecord& c = program.Class("P");
  program.Method(c, "main", {Static("P", "scan")});                                // 0, 1
  const CounterIndex scan = program.Method(c, "scan", {Static("P", "accept")});    // 2, 3
  const CounterIndex accept = program.Method(c, "accept", {Static("P", "scan")});  // 4, 5
  const RecordedClasses classes = program.Classes();
  FrozenCounts counts;
  counts.Restart(std::vector<uint64_t>(6), 0);
  const std::vector<uint64_t> before{1, 1, 50'000, 50'000, 50'000, 49'999};
  REQUIRE(counts.Freeze({classes, before, 1}, std::array{scan, accept}).size() == 2);
  std::vector<uint64_t> after = before;
  after[1] += 3;
  RawCounts estimate{after, {}};
  counts.AddTo({classes, after, 2}, estimate);
  CHECK(static_cast<double>(estimate.counters[2]) == Approx(200'000).epsilon(0.01));
  CHECK(static_cast<double>(estimate.counters[4]) == Approx(200'000).epsilon(0.01));
}

TEST_CASE("calls that may run several methods keep their shares", "[frozen_counts]") {
  TestProgram program;
  ClassRecord& c = program.Class("P");
  program.Method(c, "main", {Virtual("I", "f")});                      // 0, 1
  const CounterIndex left = program.Method(program.Class("L"), "f");   // 2
  const CounterIndex right = program.Method(program.Class("R"), "f");  // 3
  const RecordedClasses classes = program.Classes();
  FrozenCounts counts;
  counts.Restart(std::vector<uint64_t>(4), 0);
  REQUIRE(
      counts.Freeze({classes, std::vector<uint64_t>{1, 100, 80, 20}, 1}, std::array{left, right})
          .size() == 2);
  const std::vector<uint64_t> after{2, 1100, 80, 20};
  RawCounts estimate{after, {}};
  counts.AddTo({classes, after, 2}, estimate);
  CHECK(estimate.counters == std::vector<uint64_t>{2, 1100, 880, 220});
}

// main calls I.f at site 9, and `between` at site 8; it may run L.f or R.f.
struct Alternating {
  TestProgram program;
  CounterIndex between, left, right;
  std::vector<uint64_t> counters = std::vector<uint64_t>(7);
  TypeCounts types;
  FrozenCounts counts;

  Alternating() {
    ClassRecord& c = program.Class("P");
    program.Method(c, "main", {Virtual("I", "f"), Static("P", "between")});  // 0, 1, 2
    between = program.Method(c, "between", {Virtual("I", "f")});             // 3, 4
    AddSite(c, 0, 9);
    AddSite(c, 1, 8);
    left = program.Method(program.Class("L"), "f");   // 5
    right = program.Method(program.Class("R"), "f");  // 6
    counts.Restart(counters, 0, &types);
  }
  static void AddSite(ClassRecord& c, uint32_t method, uint32_t number) {
    c.methods[method].first_site = number;
    c.methods[method].sites = 1;
    c.sites.push_back({method, 3, number, SiteKind::kReceiver});
  }
  // Calls by main, of which these are of L.f and the others of R.f.
  void Call(uint64_t lefts, uint64_t rights) {
    counters[1] += lefts + rights;
    if (lefts > 0) types.Add(9, "L", lefts);
    if (rights > 0) types.Add(9, "R", rights);
  }
  size_t Freeze(double seconds, std::vector<CounterIndex> methods) {
    const RecordedClasses classes = program.Classes();
    return counts.Freeze({classes, counters, seconds, &types}, methods).size();
  }
  std::vector<uint64_t> Estimated(double seconds, bool with_types = true) {
    const RecordedClasses classes = program.Classes();
    RawCounts estimate{counters, {}};
    counts.AddTo({classes, counters, seconds, with_types ? &types : nullptr}, estimate);
    return {estimate.counters[5], estimate.counters[6]};
  }
};

TEST_CASE("calls that may run several methods follow the receivers", "[frozen_counts]") {
  Alternating p;
  p.Call(80, 20);
  p.counters[5] = 80;
  p.counters[6] = 20;
  REQUIRE(p.Freeze(1, {p.left, p.right}) == 2);
  p.Call(10, 990);
  CHECK(p.Estimated(2) == std::vector<uint64_t>{90, 1010});
  // Without receivers the calls keep their shares.
  CHECK(p.Estimated(2, false) == std::vector<uint64_t>{880, 220});
  REQUIRE(p.Freeze(2, {}) == 0);
  p.Call(500, 0);
  CHECK(p.Estimated(3) == std::vector<uint64_t>{590, 1010});
}

TEST_CASE("what a site saw is not subtracted from what the next owner of its number sees",
          "[frozen_counts]") {
  Alternating p;
  p.Call(80, 20);
  p.counters[5] = 80;
  p.counters[6] = 20;
  REQUIRE(p.Freeze(1, {p.left, p.right}) == 2);
  p.Call(10, 990);
  REQUIRE(p.Freeze(2, {}) == 0);
  // The caller's class is unloaded, and another one with the same code gets its counters and its site.
  p.counts.Release({CounterIndex{0}, 3}, {});
  TypeCounts seen;
  p.counts.ReleaseSite(9, seen);
  p.counters[1] = 0;
  p.types.Forget(9);
  p.Call(0, 900);
  CHECK(p.Estimated(3) == std::vector<uint64_t>{90, 1910});
}

TEST_CASE("the receivers of a frozen caller stay as they were", "[frozen_counts]") {
  Alternating p;
  p.counters = {1, 100, 50, 50, 50, 130, 20};
  p.types.Add(9, "L", 80);
  p.types.Add(9, "R", 20);
  p.types.Add(8, "L", 50);
  REQUIRE(p.Freeze(1, {p.between, p.left, p.right}) == 3);
  p.Call(0, 1000);
  p.counters[2] += 500;  // calls of `between`
  CHECK(p.Estimated(2) == std::vector<uint64_t>{630, 1020});
}

TEST_CASE("a method keeps its calls when another one that they may run is loaded",
          "[frozen_counts]") {
  TestProgram program;
  ClassRecord& c = program.Class("P");
  program.Method(c, "main", {Virtual("I", "f")});                     // 0, 1
  const CounterIndex left = program.Method(program.Class("L"), "f");  // 2
  FrozenCounts counts;
  counts.Restart(std::vector<uint64_t>(4), 0);
  {
    const RecordedClasses classes = program.Classes();
    REQUIRE(counts.Freeze({classes, std::vector<uint64_t>{1, 100, 100, 0}, 1}, std::array{left})
                .size() == 1);
  }
  program.Method(program.Class("R"), "f");  // 3
  const RecordedClasses classes = program.Classes();
  const std::vector<uint64_t> after{2, 1100, 100, 0};
  RawCounts estimate{after, {}};
  counts.AddTo({classes, after, 2}, estimate);
  CHECK(estimate.counters == std::vector<uint64_t>{2, 1100, 1100, 0});
}

TEST_CASE("a site whose receivers are lost keeps its shares", "[frozen_counts]") {
  Alternating p;
  p.counters = {1, 100, 0, 0, 0, 80, 20};
  p.types.AddLost(9, 100);
  REQUIRE(p.Freeze(1, {p.left, p.right}) == 2);
  p.counters[1] += 1000;
  p.types.AddLost(9, 1000);
  CHECK(p.Estimated(2) == std::vector<uint64_t>{880, 220});
}

TEST_CASE("entries that no call explains grow like those that are explained", "[frozen_counts]") {
  TestProgram program;
  ClassRecord& c = program.Class("P");
  program.Method(c, "main", {Static("P", "called")});             // 0, 1
  const CounterIndex called = program.Method(c, "called");        // 2
  const CounterIndex reflected = program.Method(c, "reflected");  // 3
  const RecordedClasses classes = program.Classes();
  FrozenCounts counts;
  counts.Restart(std::vector<uint64_t>(4), 0);
  // A third of the calls of `called`, and all of `reflected`, come from outside.
  const std::vector<uint64_t> before{1, 100, 150, 50};
  CHECK(counts.Freeze({classes, before, 1}, std::array{called, reflected}) == std::vector{called});
  CHECK_FALSE(counts.IsFrozen(reflected));
  // In the next two seconds the program is three times as fast.
  const std::vector<uint64_t> after{1, 700, 150, 350};
  RawCounts estimate{after, {}};
  const auto calls = counts.AddTo({classes, after, 3}, estimate);
  CHECK(estimate.counters == std::vector<uint64_t>{1, 700, 1050, 350});
  CHECK(calls == MethodEstimates{{"P.called()void", {900, 150}}});
}

TEST_CASE("a reset, a pause, and counters that go", "[frozen_counts]") {
  Running p;
  p.Run(1000, 10);
  p.Freeze({p.a, p.leaf});
  p.Run(500, 0);
  p.Freeze({});

  // What ran while nothing was recorded does not count.
  RawCounts before{p.raw, {}};
  p.counts.AddTo(before);
  p.Run(9000, 9000);
  p.counts.Skip(p.raw, p.seconds);
  RawCounts after{p.raw, {}};
  p.counts.AddTo(after);
  CHECK(before.counters[Index(p.leaf)] == after.counters[Index(p.leaf)]);

  std::vector<uint64_t> values{p.raw[Index(p.leaf)]};
  p.counts.Release({p.leaf, 1}, values);
  CHECK(values[0] == 2010 + 1000);
  CHECK(p.counts.frozen() == 1);
  CHECK_FALSE(p.counts.IsFrozen(p.leaf));
  // Its calls stay known as estimated.
  RawCounts unloaded{p.raw, {}};
  CHECK(p.counts.AddTo(unloaded).at("P.leaf()void").calls == 1000);

  p.counts.Restart(p.raw, p.seconds);
  RawCounts forgotten{p.raw, {}};
  p.counts.AddTo(forgotten);
  CHECK(forgotten.counters == p.raw);
  CHECK(p.counts.IsFrozen(p.a));
}

}  // namespace
}  // namespace iprof
