#include "agent/harvest/estimate.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "agent/harvest/named_program.h"

namespace iprof::hotspot {
namespace {

using classfile::Op;
using Program = NamedProgram;

TEST_CASE("a callee whose counts stopped gets what its callers' blocks tell") {
  Program program;
  program.Class("A");
  const uint32_t run = program.Method("run", 1000);
  const uint32_t leaf = program.Method("leaf", 500);
  program.Call(run, Op::invokestatic, "A", "leaf", 3000);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[run].calls == 1000);
  CHECK(estimate.scales[run].factor == 1);
  CHECK(estimate.scales[leaf].calls == 3000);
  CHECK(estimate.scales[leaf].factor == Approx(6));
}

TEST_CASE("where nothing stops the counters, only methods without them are estimated") {
  Program program;
  program.Class("A");
  const uint32_t run = program.Method("run", 1000);
  const uint32_t counted = program.Method("counted", 500);
  program.Call(counted, Op::invokestatic, "A", "none", 500);
  const uint32_t plain = program.Method("plain", 128);
  program.Call(run, Op::invokestatic, "A", "counted", 3000);
  program.Call(run, Op::invokestatic, "A", "plain", 3000);
  program.made.counts_to_the_end = true;
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[counted].calls == 500);
  CHECK(estimate.scales[counted].factor == 1);
  CHECK(estimate.scales[plain].calls == 3000);
}

TEST_CASE("receivers divide a call, and the rest goes to what is called beyond what is listed") {
  Program program;
  const uint32_t base = program.Class("Base", kNoClass, 0x401);
  const uint32_t one = program.Class("One", base);
  const uint32_t one_run = program.Method("run", 700);
  program.Class("Two", base);
  const uint32_t two_run = program.Method("run", 100);
  program.Class("Three", base);
  const uint32_t three_run = program.Method("run", 300);
  program.Class("Main");
  const uint32_t main = program.Method("main", 1);
  program.Call(main, Op::invokevirtual, "Base", "run", 10'000);
  program.made.methods[main].types.push_back(
      {.bci = 0, .is_call = true, .rows = {{one, 600}}, .lost = 400});
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[one_run].calls == Approx(6000).epsilon(0.01));
  CHECK(estimate.scales[two_run].calls == Approx(1000).epsilon(0.01));
  CHECK(estimate.scales[three_run].calls == Approx(3000).epsilon(0.01));
}

TEST_CASE("where nothing stops the counters, callers show that one of 31 bits began again") {
  constexpr uint64_t kCalls = 2'200'000'000;
  constexpr uint64_t kRange = uint64_t{1} << 31;
  Program program;
  program.Class("A");
  const uint32_t run = program.Method("run", 1);
  const uint32_t counted = program.Method("counted", kCalls - kRange);
  const uint32_t plain = program.Method("plain", 128, /*has_data=*/false);
  program.Call(run, Op::invokestatic, "A", "counted", kCalls + 5);
  program.Call(counted, Op::invokestatic, "A", "plain", kCalls);
  program.made.counts_to_the_end = true;
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[counted].calls == kCalls);
  CHECK(estimate.scales[counted].factor == 1);
  CHECK(estimate.scales[plain].calls == kCalls);
  // What is missing is less than half of what a counter loses.
  program.made.methods[run].calls[0].block_count = kCalls - kRange / 2 - 5;
  CHECK(EstimateCalls(program.made).scales[counted].calls == kCalls - kRange);
}

// Main.main calls Base.run 10,000 times. One and Two have rows, and 40 % had none. All four methods were
// compiled without counters, as accessors are.
struct Megamorphic {
  Program program;
  uint32_t main = 0;
  std::array<uint32_t, 4> classes{}, runs{};

  Megamorphic() {
    const uint32_t base = program.Class("Base", kNoClass, 0x401);
    for (size_t c = 0; c < classes.size(); ++c) {
      classes[c] = program.Class(std::array{"One", "Two", "Three", "Four"}[c], base);
      runs[c] = program.Method("run", 128, /*has_data=*/false);
      program.made.methods[runs[c]].is_uncounted = true;
    }
    program.Class("Main");
    main = program.Method("main", 1);
    program.Call(main, Op::invokevirtual, "Base", "run", 10'000);
    program.made.methods[main].types.push_back(
        {.bci = 0, .is_call = true, .rows = {{classes[0], 300}, {classes[1], 300}}, .lost = 400});
  }

  std::vector<uint64_t> Calls() const {
    const Estimate estimate = EstimateCalls(program.made);
    std::vector<uint64_t> calls;
    for (const uint32_t run : runs) calls.push_back(estimate.scales[run].calls);
    return calls;
  }
};

TEST_CASE("an unlisted rest goes to the classes without a row") {
  const Megamorphic site;
  CHECK(site.Calls() == std::vector<uint64_t>{3000, 3000, 2000, 2000});
}

TEST_CASE("while a row is free, an unlisted rest is of classes that have one") {
  Megamorphic site;
  // It would have the largest part by its own count.
  site.program.made.methods[site.runs[2]].invocations = 9000;
  site.program.made.methods[site.main].types[0].has_free_row = true;
  CHECK(site.Calls() == std::vector<uint64_t>{5000, 5000, 9000, 128});
}

TEST_CASE("where all classes have rows, an unlisted rest is theirs") {
  Megamorphic site;
  auto& rows = site.program.made.methods[site.main].types[0].rows;
  rows = {{site.classes[0], 150},
          {site.classes[1], 150},
          {site.classes[2], 150},
          {site.classes[3], 150}};
  CHECK(site.Calls() == std::vector<uint64_t>{2500, 2500, 2500, 2500});
}

TEST_CASE("an unlisted class may run what it shares with a listed one") {
  Megamorphic site;
  // Five runs what One runs. A class that has two rows is one class.
  const uint32_t five = site.program.Class("Five", site.classes[0]);
  site.program.made.methods[site.main].types[0].rows = {{site.classes[0], 300},
                                                        {site.classes[0], 300}};
  CHECK(site.Calls() == std::vector<uint64_t>{9077, 308, 308, 308});
  // If it has a row as well, the rest is of the others.
  site.program.made.methods[site.main].types[0].rows = {{site.classes[0], 300}, {five, 300}};
  CHECK(site.Calls() == std::vector<uint64_t>{6000, 1333, 1333, 1333});
}

TEST_CASE("what is compiled without counters and listed nowhere is not taken for rare") {
  Megamorphic site;
  // Another site lists Three.
  site.program.Call(site.main, Op::invokevirtual, "Base", "run", 5000);
  site.program.made.methods[site.main].types.push_back(
      {.bci = 1, .is_call = true, .rows = {{site.classes[2], 5}}, .lost = 0});
  const std::vector<uint64_t> calls = site.Calls();
  CHECK(calls[2] == 5000 + 3636);
  CHECK(calls[3] == 364);
  // The interpreter runs all that is no accessor, and counts it.
  HarvestedMethod& four = site.program.made.methods[site.runs[3]];
  four.invocations = 150;
  CHECK(site.Calls()[3] == 364);
  four.is_uncounted = false;
  CHECK(site.Calls()[3] == 150);
}

TEST_CASE("an exact count gets no larger part of an unlisted rest") {
  Program program;
  program.Class("Base", kNoClass, 0x401);
  program.Class("One", 0);
  const uint32_t exact = program.Method("run", 300);
  program.made.methods[exact].is_exact = true;
  program.made.methods[exact].invocations = 1'000'000;
  program.Class("Two", 0);
  const uint32_t other = program.Method("run", 100);
  program.Class("Main");
  const uint32_t main = program.Method("main", 1);
  program.Call(main, Op::invokevirtual, "Base", "run", 40'000);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[exact].calls == 1'000'000);
  CHECK(estimate.scales[other].calls == Approx(10'000).epsilon(0.01));
}

TEST_CASE("rare methods get no part of an unlisted rest") {
  Program program;
  program.Class("Base", kNoClass, 0x401);
  program.Class("One", 0);
  const uint32_t one = program.Method("run", 900);
  program.Class("Two", 0);
  const uint32_t two = program.Method("run", 100);
  program.Class("Three", 0);
  const uint32_t rare = program.Method("run", 80);
  program.Class("Main");
  const uint32_t main = program.Method("main", 1);
  program.Call(main, Op::invokevirtual, "Base", "run", 10'000);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[one].calls == 9000);
  CHECK(estimate.scales[two].calls == 1000);
  CHECK(estimate.scales[rare].calls == 80);
}

TEST_CASE("an inherited method and a default method are found") {
  Program program;
  const uint32_t face = program.Class("Face", kNoClass, 0x601);
  const uint32_t defaulted = program.Method("go", 1);
  const uint32_t base = program.Class("Base", kNoClass, 0x401);
  program.made.classes[base].interfaces = {face};
  const uint32_t inherited = program.Method("stay", 1);
  const uint32_t leaf = program.Class("Leaf", base);
  program.Class("Main");
  const uint32_t main = program.Method("main", 1);
  program.Call(main, Op::invokeinterface, "Face", "go", 50);
  program.Call(main, Op::invokevirtual, "Leaf", "stay", 70);
  program.made.methods[main].types = {{.bci = 0, .is_call = true, .rows = {{leaf, 5}}},
                                      {.bci = 1, .is_call = true, .rows = {{leaf, 7}}}};
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[defaulted].calls == 50);
  CHECK(estimate.scales[inherited].calls == 70);
}

TEST_CASE("a loop that outran its counters is scaled by callees that agree") {
  Program program;
  program.Class("A");
  const uint32_t loop = program.Method("loop", 1);
  program.made.methods[loop].back_edges = 60'000;
  std::vector<uint32_t> own;
  for (const char* name : {"a", "b", "c", "d"}) {
    own.push_back(program.Method(name, 600'000));
    program.Call(loop, Op::invokestatic, "A", name, 60'000);
  }
  const uint32_t quiet = program.Method("quiet", 5);
  program.Call(loop, Op::invokestatic, "A", "quiet", 30'000);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[loop].calls == 1);
  CHECK(estimate.scales[loop].factor == Approx(10));
  CHECK(estimate.scales[quiet].calls == Approx(300'000));
}

TEST_CASE("callees that were compiled without counters are no witnesses of a loop") {
  Program program;
  program.Class("A");
  const uint32_t loop = program.Method("loop", 1);
  program.made.methods[loop].back_edges = 60'000;
  for (const char* name : {"a", "b", "c", "d"}) {
    program.Method(name, 600'000);
    program.Call(loop, Op::invokestatic, "A", name, 60'000);
  }
  std::vector<uint32_t> plain;
  for (const char* name : {"p", "q", "r", "s"}) {
    plain.push_back(program.Method(name, 128, /*has_data=*/false));
    program.Call(loop, Op::invokestatic, "A", name, 60'000);
  }
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[loop].factor == Approx(10));
  for (const uint32_t m : plain) CHECK(estimate.scales[m].calls == Approx(600'000));
}

TEST_CASE("threads that loop since before their method had a MethodData are as many entries") {
  Program program;
  program.Class("A");
  const uint32_t run = program.Method("run", 8);
  program.made.methods[run].data_invocations = 0;
  const uint32_t leaf = program.Method("leaf", 10'000);
  program.Call(run, Op::invokestatic, "A", "leaf", 80'000);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[run].calls == 8);
  CHECK(estimate.scales[run].factor == 1);
  CHECK(estimate.scales[leaf].calls == 80'000);
}

TEST_CASE("an intrinsic passes on what was counted in it") {
  Program program;
  program.Class("java/lang/String");
  const uint32_t equals = program.Method("equals", 10);
  program.made.methods[equals].intrinsic = 7;
  const uint32_t inside = program.Method("inside", 3);
  program.Call(equals, Op::invokestatic, "java/lang/String", "inside", 10);
  program.Class("Main");
  const uint32_t main = program.Method("main", 1);
  program.Call(main, Op::invokestatic, "java/lang/String", "equals", 1'000'000);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[equals].calls == 1'000'000);
  CHECK(estimate.scales[equals].factor == 1);
  CHECK(estimate.scales[inside].calls == 10);
}

TEST_CASE(
    "callers in other loaders call each of the classes of one name, and not all of them one") {
  Program program;
  std::vector<uint32_t> called;
  for (uint64_t copy = 1; copy <= 10; ++copy) {
    program.Class("Script");
    program.made.classes.back().loader = copy;
    called.push_back(program.Method("run", 1000));
    program.Class("Accessor");
    program.made.classes.back().loader = 100 + copy;
    program.Call(program.Method("invoke", 1000), Op::invokevirtual, "Script", "run", 1000);
  }
  const Estimate estimate = EstimateCalls(program.made);
  for (const uint32_t run : called) CHECK(estimate.scales[run].calls == 1000);
}

TEST_CASE("the order of classes makes no difference to an estimate") {
  constexpr uint32_t kClasses = 30;
  std::mt19937 random(3);
  for (int run = 0; run < 20; ++run) {
    std::vector<std::string> names;
    std::vector<std::array<uint64_t, 4>> counts;
    for (uint32_t c = 0; c < kClasses; ++c) {
      names.push_back("C" + std::to_string(c));
      counts.push_back(
          {1 + random() % 1000, random() % 3000, random() % 3000, random() % kClasses});
    }
    const auto estimate = [&](const std::vector<uint32_t>& order) {
      Program program;
      program.Class("Base", kNoClass, 0x401);
      std::vector<uint32_t> methods(kClasses);
      for (const uint32_t c : order) {
        program.Class(names[c], 0);
        methods[c] = program.Method("run", counts[c][0]);
        program.Call(methods[c], Op::invokevirtual, "Base", "run", counts[c][1]);
        program.Call(methods[c], Op::invokestatic, names[counts[c][3]], "run", counts[c][2]);
      }
      const Estimate estimated = EstimateCalls(program.made);
      std::vector<double> calls;
      for (const uint32_t m : methods)
        calls.push_back(static_cast<double>(estimated.scales[m].calls));
      return calls;
    };
    std::vector<uint32_t> order(kClasses);
    std::iota(order.begin(), order.end(), 0U);
    const std::vector<double> one = estimate(order);
    std::shuffle(order.begin(), order.end(), random);
    const std::vector<double> two = estimate(order);
    for (uint32_t c = 0; c < kClasses; ++c) {
      CHECK(one[c] >= static_cast<double>(counts[c][0]));
      CHECK(one[c] == Approx(two[c]).epsilon(1e-4).margin(1));
    }
  }
}

// The runaway of a database: C1's tier 2 counted the calls of `pages` but not its branches. Of 2,512 executions two are in
// its MethodData, and both called sort, which the program did 7 times in all.
struct TwoOfThousands {
  Program program;
  uint32_t pages = 0, sort = 0, compare = 0;

  explicit TwoOfThousands(uint64_t compared = 70) {
    program.Class("A");
    pages = program.Method("pages", 2'512);
    sort = program.Method("sort", 7);
    compare = program.Method("compare", compared);
    HarvestedMethod& method = program.made.methods[pages];
    method.data_invocations = 2;
    method.has_guesses = true;
    program.Call(pages, Op::invokestatic, "A", "sort", 2);
    program.made.methods[pages].calls[0].guess = 0.1;
    program.Call(sort, Op::invokestatic, "A", "compare", 70);
  }
};

TEST_CASE("a method whose counters are complete is called as often as they say") {
  TwoOfThousands database;
  database.program.made.methods[database.sort].is_complete = true;
  const Estimate estimate = EstimateCalls(database.program.made);
  CHECK(estimate.scales[database.sort].calls == 7);
  CHECK(estimate.scales[database.sort].factor == 1);
  CHECK(estimate.scales[database.compare].calls == 70);
}

TEST_CASE("each method says how sure its numbers are") {
  TwoOfThousands database;
  Program& program = database.program;
  const auto sureness = [&](uint32_t method) {
    return EstimateCalls(program.made).scales[method].sureness;
  };
  CHECK(sureness(database.sort) == Sureness::EstimatedFrom(2));
  CHECK(sureness(database.compare) == Sureness::EstimatedFrom(2));
  CHECK(sureness(database.pages) == Sureness::Bounded());
  // Of its branches, only those of two entries were counted.
  HarvestedBranch branch;
  branch.targets = {4, 8};
  branch.counts = {2, 0};
  program.made.methods[database.pages].branches = {branch};
  CHECK(sureness(database.pages) == Sureness::Of(Sureness::Bounded(), Sureness::EstimatedFrom(2)));
  program.made.methods[database.sort].is_complete = true;
  CHECK(sureness(database.sort) == Sureness::Exact());
  CHECK(sureness(database.compare) == Sureness::Bounded());
  program.made.methods[database.pages].has_data = false;
  CHECK(sureness(database.pages) == Sureness::Of(Sureness::Bounded(), Sureness::EstimatedFrom(0)));
}

TEST_CASE("what few entries did is mixed with what the code suggests") {
  const TwoOfThousands database;
  const Estimate estimate = EstimateCalls(database.program.made);
  // 2 calls of 2 entries, and of the 2,510 others a share of (2 + 16 * 0.1) / (2 + 16) = 0.2.
  CHECK(estimate.scales[database.sort].calls == Approx(2 + 502).epsilon(0.01));
}

TEST_CASE("a call that few entries did not make gets its part of what the code suggests") {
  TwoOfThousands database;
  Program& program = database.program;
  program.Call(database.pages, Op::invokestatic, "A", "compare", 0);
  program.made.methods[database.pages].calls[1].guess = 0.9;
  program.made.methods[database.sort].is_complete = true;
  // (0 + 16 * 0.9) / (2 + 16) = 0.8 of all but the two entries, which are known not to have called it
  CHECK(EstimateCalls(program.made).scales[database.compare].calls ==
        Approx(70 + 2'512 * 0.8).epsilon(0.01));
  // Where a call may lead to several methods, there is neither a count nor a row, and nothing is guessed.
  program.Class("B", 0);
  program.Method("compare", 10);
  program.made.methods[database.pages].calls[1].op = Op::invokevirtual;
  CHECK(EstimateCalls(program.made).scales[database.compare].calls == 70);
}

TEST_CASE("recursion with few counts does not run away from a method that is complete") {
  // The 2 entries of walk that were counted call it 3 times again. It ran 4,000 times. Of the 100 entries of drive, the
  // first 10 made 5,000 calls of it.
  Program program;
  program.Class("A");
  const uint32_t drive = program.Method("drive", 100);
  program.made.methods[drive].data_invocations = 10;
  program.Call(drive, Op::invokestatic, "A", "walk", 5'000);
  const uint32_t walk = program.Method("walk", 4'000);
  HarvestedMethod& method = program.made.methods[walk];
  method.data_invocations = 2;
  program.Call(walk, Op::invokestatic, "A", "walk", 3);
  const uint32_t visit = program.Method("visit", 600);
  program.Call(walk, Op::invokestatic, "A", "visit", 2);
  program.made.methods[walk].has_guesses = true;
  for (HarvestedCall& call : program.made.methods[walk].calls) call.guess = 0.5;
  CHECK(EstimateCalls(program.made).scales[walk].calls > 40'000);
  program.made.methods[walk].is_complete = true;
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[walk].calls == 4'000);
  CHECK(estimate.scales[visit].calls <= 4'000);
}

TEST_CASE("the counter of compiled code is no limit for the calls of an interpreted caller") {
  // Measured on JDK 17: the caller never had code, the callee had code of C2 after 30,201 calls.
  Program program;
  program.Class("A");
  const uint32_t run = program.Method("run", 1);
  program.made.methods[run].is_complete = true;
  const uint32_t leaf = program.Method("leaf", 30'201);
  program.Call(run, Op::invokestatic, "A", "leaf", 19'879'168);
  CHECK(EstimateCalls(program.made).scales[leaf].calls == 19'879'168);
}

TEST_CASE(
    "what a complete caller did before it had a MethodData is bounded by its jumps backwards") {
  // 2 entries with a MethodData made 2,000 calls. The 98 before it jumped back 50 times in all, so they made at most 148.
  Program program;
  program.Class("A");
  const uint32_t run = program.Method("run", 100);
  HarvestedMethod& method = program.made.methods[run];
  method.is_complete = true;
  method.data_invocations = 2;
  method.rounds_before_data = 50;
  const uint32_t leaf = program.Method("leaf", 300);
  program.Call(run, Op::invokestatic, "A", "leaf", 2'000);
  CHECK(EstimateCalls(program.made).scales[leaf].calls == 2'148);
  program.made.methods[run].is_complete = false;
  CHECK(EstimateCalls(program.made).scales[leaf].calls == 100'000);
}

TEST_CASE("calls that lead nowhere do no harm") {
  Program program;
  program.Class("A");
  const uint32_t run = program.Method("run", 5);
  program.Call(run, Op::invokestatic, "Missing", "run", 10);
  program.Call(run, Op::invokestatic, "A", "missing", 10);
  program.Call(run, Op::invokedynamic, "", "run", 10);
  CHECK(EstimateCalls(program.made).scales[run].calls == 5);
}

// Each interface extends all before it, and, in damaged memory, all behind it.
TEST_CASE("interfaces with many ways between them are searched once") {
  constexpr uint32_t kInterfaces = 60;
  constexpr uint16_t kInterface = 0x0600;
  Program program;
  const uint32_t start = program.Class("Main");
  const uint32_t main = program.Method("main", 1);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < kInterfaces; ++i)
    all.push_back(program.Class("I", kNoClass, kInterface));
  for (const uint32_t interface : all) program.made.classes[interface].interfaces = all;
  const uint32_t object = program.Class("Object", start);
  program.made.classes[object].interfaces = all;
  program.Call(main, Op::invokevirtual, "Object", "missing", 1000);
  program.Class("Other");
  program.Method("missing", 5);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[main].calls == 1);
}

}  // namespace
}  // namespace iprof::hotspot
