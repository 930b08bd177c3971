// Class files in, class files and profiles out. Tests on JVMs check what the inserted code does
// when it runs.
#include "agent/instrument/class_instrumenter.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <catch2/catch.hpp>
#include <set>
#include <thread>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/test_instrumenter.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

// The probes of each method, "f(I)I: 0 2 1": counter indices in code order.
std::string Probes(const Bytes& bytes) {
  classfile::Arena arena;
  classfile::ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == classfile::Reason::kOk);
  std::string text;
  for (const classfile::MemberInfo& member : file.methods()) {
    text += std::string(file.NameOf(member)) + std::string(file.DescriptorOf(member)) + ":";
    classfile::MethodCode code;
    if (member.code_offset != 0 && code.Decode(file, member, arena) == classfile::Reason::kOk) {
      for (classfile::Insn i = 0; i + 1 < code.count(); ++i) {
        if (code.at(i).op != Op::getstatic || code.at(i + 1).op != Op::sipush) continue;
        text += " " + std::to_string(code.Immediate(i + 1));
      }
    }
    text += "\n";
  }
  return text;
}

uint32_t CodeLengthOf(const Bytes& bytes, std::string_view method) {
  classfile::Arena arena;
  classfile::ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == classfile::Reason::kOk);
  for (const classfile::MemberInfo& member : file.methods()) {
    classfile::MethodCode code;
    if (file.NameOf(member) != method) continue;
    REQUIRE(code.Decode(file, member, arena) == classfile::Reason::kOk);
    return static_cast<uint32_t>(code.code().size());
  }
  return 0;
}

Bytes Countdown(std::string_view name = "a/T") {
  return AssembledClass(name).Add({.descriptor = "(I)I", .code = CountdownCode()}).Bytes();
}

std::string CallsAndBranches(const Profile& profile) {
  std::vector<std::string> lines;
  for (const EntryIndex e : EntriesOf(profile, Table::kCalls)) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(Table::kCalls, e));
    lines.push_back(profile.DescribeMethod(frame.method) + ": " +
                    std::to_string(profile.EntryCount(Table::kCalls, e)) + "\n");
  }
  for (const EntryIndex e : EntriesOf(profile, Table::kConditionals)) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(Table::kConditionals, e));
    std::string line = profile.DescribeMethod(frame.method) + ": @" + std::to_string(frame.bci);
    for (const Successor& s : profile.EntrySuccessors(e)) {
      line += " (" + std::to_string(s.bci) + "," + std::to_string(s.index) +
              "):" + std::to_string(s.count);
    }
    lines.push_back(line + "\n");
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string ProfileOf(Instrumenter& made, const std::vector<uint64_t>& counters) {
  return CallsAndBranches(Assembled(made, counters));
}

// An earlier profile in which the branch of a.T.f(int)int at 1 goes both ways.
ContextSites WatchingF() {
  Profile earlier;
  const TypeIndex signature[] = {earlier.AddType("a.T"), earlier.AddType("int"),
                                 earlier.AddType("int")};
  const Successor ways[] = {{10, 0, 100}, {4, 1, 100}};
  earlier.AddSuccessors(earlier.AddContext(kNoContext, earlier.AddMethod("f", signature), 1), ways);
  return ContextSites(earlier);
}

TEST_CASE(
    "a class that is instrumented again can be watched, and both versions' positions are known") {
  Instrumenter made(Placed(PlacementPolicy::kDirect));
  const Bytes original = Countdown();
  const Bytes counted = made.Run(original);
  const ContextSites chosen = WatchingF();
  WatchedSites watched(chosen);
  made.instrumenter.Watch(watched);
  const Bytes with_watch = made.Run(original);
  CHECK(Probes(with_watch) == Probes(counted));
  const uint32_t first = CodeLengthOf(counted, "f");
  const uint32_t second = CodeLengthOf(with_watch, "f");
  REQUIRE(second > first);
  REQUIRE(watched.Find(0) != nullptr);
  CHECK(watched.Find(0)->op == Op::ifle);
  CHECK(WayOf(*watched.Find(0), {.first = 1}) == 4);
  CHECK(WayOf(*watched.Find(0), {.first = 0}) == 10);
  // The return at 11 is the last instruction before the trampolines of all versions, which are equally long.
  using Position = ClassInstrumenter::RunningPosition;
  std::vector<Position> many{{"f", "(I)I", first - 1, CodeStamp::Of(first, false)},
                             {"f", "(I)I", second - 1, CodeStamp::Of(second, false)},
                             {"f", "(I)I", 0, CodeStamp::Of(second, false)},
                             {"f", "(I)I", 3, CodeStamp::Of(second + 1, false)}};
  made.instrumenter.OriginalBcis("a/T", many);
  REQUIRE(many[0].original);
  CHECK(many[1].original == many[0].original);
  CHECK(many[2].original == 0);
  CHECK_FALSE(many[3].original);
}

TEST_CASE("a method that may not get longer is counted without being watched") {
  const ContextSites chosen = WatchingF();
  const auto length_with = [&](uint32_t limit) {
    InstrumenterOptions options = Placed(PlacementPolicy::kDirect);
    options.huge_method_limit = limit;
    Instrumenter made(options);
    WatchedSites watched(chosen);
    made.instrumenter.Watch(watched);
    return CodeLengthOf(made.Run(Countdown()), "f");
  };
  const uint32_t watched = length_with(8000);
  const uint32_t counted = length_with(watched - 1);
  CHECK(counted < watched);
  CHECK(counted > CountdownCode().size());
  CHECK(length_with(watched) == watched);
}

TEST_CASE("a frozen method has its own code, and the others keep their counters") {
  Instrumenter made(Placed(PlacementPolicy::kDirect));
  const Bytes original = AssembledClass("a/T")
                             .Add({.name = "f", .descriptor = "(I)I", .code = CountdownCode()})
                             .Add({.name = "g", .descriptor = "(I)I", .code = CountdownCode()})
                             .Bytes();
  const std::string both = Probes(made.Run(original));
  CHECK(both == "f(I)I: 0 2 1\ng(I)I: 3 5 4\n");

  made.instrumenter.frozen().Freeze(std::array{CounterIndex{0}});
  CHECK_FALSE(made.instrumenter.frozen().IsLeftOut(CounterIndex{0}));
  CHECK(Probes(made.Run(original)) == "f(I)I:\ng(I)I: 3 5 4\n");
  CHECK(made.instrumenter.frozen().IsLeftOut(CounterIndex{0}));
  // The class file's code has 11 bytes.
  using Position = ClassInstrumenter::RunningPosition;
  const uint32_t own = static_cast<uint32_t>(CountdownCode().size());
  const uint32_t probed = CodeLengthOf(made.Run(original), "g");
  REQUIRE(probed > own);
  const uint32_t end = probed - 1;
  std::vector<Position> many{{"g", "(I)I", end, CodeStamp::Of(probed, false)},
                             {"f", "(I)I", 4, CodeStamp::Of(own, false)},
                             {"f", "(I)I", end, CodeStamp::Of(probed, false)},
                             {"g", "(I)I", 4, CodeStamp::Of(probed + 1, false)},
                             {"g", "(I)I", end},
                             {"g", "(I)I", 0},
                             {"g", "(I)I", 4},
                             {"lacking", "()V", 9}};
  made.instrumenter.OriginalBcis("a/T", many);
  // By the code in which they were seen, whether f is frozen or not.
  CHECK(many[0].original);
  CHECK(many[0].original != end);
  CHECK(many[1].original == 4);
  CHECK(many[2].original == many[0].original);
  CHECK_FALSE(many[3].original);                // another agent's code
  CHECK(many[4].original == many[0].original);  // beyond the class file's code
  CHECK(many[5].original == 0);                 // the same in all versions
  CHECK_FALSE(many[6].original);
  CHECK(many[7].original == 9);
  for (size_t i = 0; i < many.size(); ++i) CHECK(many[i].is_recorded == (i != 7));
  CHECK(many[0].original_length == own);
  CHECK(made.counters() == 6);
  // What was counted before is still known.
  CHECK(ProfileOf(made, {5, 5, 30, 7, 7, 0}).find("a.T.f(int)int: 5\n") != std::string::npos);

  made.instrumenter.frozen().Freeze(std::array{CounterIndex{3}});
  CHECK(made.Run(original).empty());  // nothing is changed
  made.instrumenter.frozen().Thaw(std::array{CounterIndex{0}, CounterIndex{3}});
  CHECK(Probes(made.Run(original)) == both);
}

TEST_CASE("records name the callees of all calls on request") {
  const auto callees = [](bool all) {
    InstrumenterOptions options;
    options.all_calls = all;
    Instrumenter made(options);
    AssembledClass klass("a/T");
    const uint16_t f = klass.MethodRef("a/U", "f", "()V");
    const int high = f >> 8;
    const int low = f & 0xff;
    klass.Add({.name = "g",
               .code = Code({B(Op::invokestatic), high, low, B(Op::invokestatic), high, low,
                             B(Op::return_)})});
    REQUIRE_FALSE(made.Run(klass.Bytes()).empty());
    const auto classes = made.instrumenter.Classes({}, TypeCounts());
    ClassRecord scratch;
    std::vector<std::string> texts;
    for (const Callee& callee : classes->Get(0, scratch).callees) {
      const InternalName owner(callee.owner);
      texts.push_back(MethodKey(owner, callee.name, callee.descriptor).text());
    }
    return texts;
  };
  CHECK(callees(false).empty());
  CHECK(callees(true) == std::vector<std::string>{"a/U.f()V"});
}

TEST_CASE("from bytes to counters to a profile, at the original positions") {
  Instrumenter made(Placed(PlacementPolicy::kDirect));
  const Bytes result = made.Run(Countdown());
  REQUIRE_FALSE(result.empty());
  CHECK(Probes(result) == "f(I)I: 0 2 1\n");  // entry, fall-through, taken
  CHECK(made.counters() == 3);
  CHECK(made.instrumenter.Knows("a/T"));
  CHECK_FALSE(made.instrumenter.Knows("a/U"));
  CHECK(ProfileOf(made, {5, 5, 30}) ==
        "a.T.f(int)int: 5\n"
        "a.T.f(int)int: @1 (10,0):5 (4,1):30\n");
}

// One method with a virtual call, one with a branch, one that locks its class.
Bytes ThreeKinds() {
  AssembledClass c("a/T");
  const int callee = c.MethodRef("b/U", "run", "()V");
  c.Add({.name = "calls",
         .descriptor = "(Lb/U;)V",
         .code = Code(
             {B(Op::aload_0), B(Op::invokevirtual), callee >> 8, callee & 0xff, B(Op::return_)})});
  c.Add({.name = "branches", .descriptor = "(I)I", .code = CountdownCode()});
  c.Add({.access = 0x0029, .name = "locks", .code = Code({B(Op::return_)})});
  return c.Bytes();
}

TEST_CASE("sites alone need no counters, but for the methods that lock their class") {
  InstrumenterOptions options;
  options.calls = false;
  options.branches = false;
  options.sites = {.receivers = true, .monitors = false, .instance_ofs = false};
  CounterSpace sites;
  sites.Configure(1, [] {});
  sites.SetReady(1);
  const auto holder = [](uint32_t chunk) { return "S" + std::to_string(chunk); };

  Instrumenter receivers(options);
  receivers.instrumenter.UseSites(sites, 256, holder);
  const Bytes result = receivers.Run(ThreeKinds());
  REQUIRE_FALSE(result.empty());
  CHECK(Probes(result) == "calls(Lb/U;)V:\nbranches(I)I:\nlocks()V:\n");
  CHECK(receivers.counters() == 0);
  CHECK(sites.statistics().counters == 1);
  CHECK(receivers.Run(ThreeKinds()) == result);
  CHECK(sites.statistics().counters == 1);
  CHECK(receivers.Reports("methods: 1 counted"));
  CHECK(ProfileOf(receivers, {}).empty());
  // The call is later in the running code than in the class file.
  std::vector<ClassInstrumenter::RunningPosition> many{{"calls", "(Lb/U;)V", 4},
                                                       {"branches", "(I)I", 4}};
  receivers.instrumenter.OriginalBcis("a/T", many);
  CHECK(many[0].original == 1);
  CHECK(many[1].original == 4);

  options.sites.monitors = true;
  Instrumenter monitors(options);
  monitors.instrumenter.UseSites(sites, 256, holder);
  CHECK(Probes(monitors.Run(ThreeKinds())) == "calls(Lb/U;)V:\nbranches(I)I:\nlocks()V: 0\n");
  CHECK(monitors.counters() == 1);

  Instrumenter none(options);  // without a space for sites
  CHECK(none.Run(Countdown()).empty());
  CHECK(none.Reports("classes: 0 counted, 1 without code to count"));
}

TEST_CASE("derived counts: one counter less") {
  Instrumenter made(Placed(PlacementPolicy::kTree));
  REQUIRE_FALSE(made.Run(Countdown()).empty());
  CHECK(made.counters() == 2);
  const std::string text = ProfileOf(made, {5, 30});
  INFO(text);
  CHECK(text.find("a.T.f(int)int: 5\n") != std::string::npos);
  CHECK(text.find("(10,0):") != std::string::npos);
  CHECK(made.Reports("1 exact, 0 within k"));
}

TEST_CASE("the same class file again: the same bytes, no new counters") {
  Instrumenter made;
  const Bytes first = made.Run(Countdown());
  const uint64_t counters = made.counters();
  for (int i = 0; i < 10; ++i) CHECK(made.Run(Countdown(), "a/T") == first);
  CHECK(made.counters() == counters);
  CHECK(made.Reports("classes: 1 counted"));
  CHECK(made.Reports("methods: 1 counted"));
}

TEST_CASE("threads that load one class share its counters") {
  constexpr int kThreads = 4, kRounds = 60;
  Instrumenter made;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "a/C" + std::to_string(round);
    const Bytes input = Countdown(name);
    std::vector<Bytes> results(kThreads);
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (Bytes& result : results) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        result = made.Run(input);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Bytes& result : results) {
      REQUIRE_FALSE(result.empty());
      if (result != results[0]) FAIL(Probes(result) << "differs from " << Probes(results[0]));
    }
  }
  CHECK(made.Reports("classes: " + std::to_string(kRounds) + " counted"));
  CHECK(made.Reports("methods: " + std::to_string(kRounds) + " counted"));
  // A thread that came second has given its counters back, perhaps below those of the last class.
  const std::vector<uint64_t> counters(made.counters() + made.space.statistics().free, 1);
  CHECK(Assembled(made, counters).entry_count(Table::kCalls) == kRounds);
}

TEST_CASE("classes of one name with different bytes have counters of their own, one profile") {
  Instrumenter made(Placed(PlacementPolicy::kDirect));
  const Bytes first = made.Run(Countdown());
  const Bytes other = made.Run(AssembledClass("a/T")
                                   .Add({.name = "first", .code = Code({B(Op::return_)})})
                                   .Add({.descriptor = "(I)I", .code = CountdownCode()})
                                   .Bytes());
  CHECK(Probes(first) == "f(I)I: 0 2 1\n");
  CHECK(Probes(other) == "first()V: 3\nf(I)I: 4 6 5\n");
  CHECK(ProfileOf(made, {5, 5, 30, 1, 10, 10, 2}) ==
        "a.T.f(int)int: 15\n"
        "a.T.f(int)int: @1 (10,0):15 (4,1):32\n"
        "a.T.first()void: 1\n");
}

TEST_CASE("the profile does not depend on which version was loaded first") {
  // Two bodies of one method, both entered once: their branches tie.
  Bytes longer = CountdownCode();
  longer.insert(longer.begin(), static_cast<uint8_t>(Op::nop));
  const Bytes a = Countdown();
  const Bytes b = AssembledClass("a/T").Add({.descriptor = "(I)I", .code = longer}).Bytes();
  Instrumenter ab(Placed(PlacementPolicy::kDirect));
  Instrumenter ba(Placed(PlacementPolicy::kDirect));
  ab.Run(a), ab.Run(b), ba.Run(b), ba.Run(a);
  CHECK(ProfileOf(ab, {1, 1, 0, 1, 1, 0}) == ProfileOf(ba, {1, 1, 0, 1, 1, 0}));
}

TEST_CASE("an empty finalize() is never touched, one with code is") {
  Instrumenter made;
  CHECK(made.Run(AssembledClass("java/lang/Object", "")
                     .Add({.access = 4, .name = "finalize", .code = Code({B(Op::return_)})})
                     .Bytes())
            .empty());
  CHECK(made.counters() == 0);
  const Bytes result =
      made.Run(AssembledClass("a/T")
                   .Add({.access = 4, .name = "finalize", .code = Code({B(Op::return_)})})
                   .Add({.name = "finalize", .descriptor = "(I)V", .code = Code({B(Op::return_)})})
                   .Bytes());
  CHECK(Probes(result) == "finalize()V:\nfinalize(I)V: 0\n");
  CHECK_FALSE(made.Run(AssembledClass("a/U")
                           .Add({.access = 4,
                                 .name = "finalize",
                                 .code = Code({B(Op::nop), B(Op::return_)})})
                           .Bytes())
                  .empty());
}

TEST_CASE("no code, no change") {
  Instrumenter made;
  CHECK(made.Run(AssembledClass("a/I", "java/lang/Object", 0x0601)
                     .Add({.access = 0x0401, .code = {}})
                     .Bytes())
            .empty());
  CHECK(made.Reports("0 counted, 1 without code to count"));
}

TEST_CASE("without counters to be had, methods are left alone and told") {
  Instrumenter made({}, 1);
  // Use up the chunk.
  for (int i = 0; made.space.Allocate(1024).has_value() && i < 32; ++i) {
  }
  CHECK(made.Run(Countdown()).empty());
  CHECK(made.Reports("classes: 0 counted, 0 without code"));
  CHECK(made.Reports("classes left alone: 1 .no counters were left"));
  CHECK(made.Reports("methods left alone: 1 .the memory limit, memory=, was reached"));
  CHECK_FALSE(made.Reports("abstract or native"));
  CHECK(made.Run(Countdown()).empty());
  CHECK(ProfileOf(made, {}).empty());
  // A class that will never be counted takes no memory, however many of them are loaded.
  CHECK_FALSE(made.instrumenter.Knows("a/T"));
}

TEST_CASE("classes and methods are counted separately, each under its own reason") {
  Instrumenter made;
  // A counted method, an abstract one, and one whose code jumps into the middle of an instruction.
  Bytes broken = CountdownCode();
  broken[3] = 8;
  made.Run(AssembledClass("a/T")
               .Add({.descriptor = "(I)I", .code = CountdownCode()})
               .Add({.access = 0x0401, .name = "g"})
               .Add({.name = "h", .descriptor = "(I)I", .code = broken})
               .Bytes());
  made.Run(AssembledClass("a/U").Add({.name = "h", .descriptor = "(I)I", .code = broken}).Bytes());
  CHECK(made.Reports("classes: 1 counted, 0 without code"));
  CHECK(made.Reports("classes left alone: 1 .every method with code was left alone"));
  CHECK(made.Reports("methods: 1 counted"));
  CHECK(made.Reports("methods without code, abstract or native: 1"));
  CHECK(made.Reports("methods left alone: 2 .branch to where no instruction starts"));
}

TEST_CASE("a class that came before its chunk is told from one beyond the cap") {
  CounterSpace space;
  ClassInstrumenter instrumenter({}, space, [](uint32_t) { return std::string("H"); });
  space.Configure(2, [] {});  // none ready
  const Bytes input = Countdown();
  CHECK_FALSE(instrumenter.Instrument({"", input}, [](size_t) { return nullptr; }));
  CHECK(std::regex_search(instrumenter.Summary({}),
                          std::regex("methods left alone: 1 .no chunk of counters was ready")));
}

TEST_CASE("damaged and unknown class files are left alone by reason") {
  Instrumenter made;
  const Bytes good = Countdown();
  CHECK(made.Run({}).empty());
  CHECK(made.Run(Bytes(good.begin(), good.end() - 3)).empty());
  Bytes newer = good;
  newer[7] = 99;
  CHECK(made.Run(newer, "a/T").empty());
  CHECK_FALSE(made.instrumenter.Knows("a/T"));
  CHECK(made.Reports("classes left alone: 1 .class-file version outside"));
  // Code that jumps into the middle of an instruction affects only its method.
  Bytes code = CountdownCode();
  code[3] = 8;
  const Bytes result =
      made.Run(AssembledClass("a/U")
                   .Add({.descriptor = "(I)I", .code = code})
                   .Add({.name = "g", .descriptor = "(I)I", .code = CountdownCode()})
                   .Bytes());
  CHECK(Probes(result).find("f(I)I:\ng(I)I: 0") == 0);
}

TEST_CASE("a class whose name the JVM does not say is kept by the name in its file") {
  Instrumenter made;
  CHECK_FALSE(made.Run(Countdown("a/T")).empty());
  CHECK(made.instrumenter.Knows("a/T"));
}

TEST_CASE("a class that the JVM is about to refuse for its names leaves nothing behind") {
  Instrumenter made;
  CHECK(made.Run(Countdown("")).empty());
  CHECK(made.Run(AssembledClass("a/T").Add({.name = "a.b", .code = {0xb1}}).Bytes()).empty());
  CHECK(made.counters() == 0);
  Profile profile;
  made.instrumenter.AddTo({}, NoLiveFrames, profile);
  CHECK(profile.type_count() == 0);
  CHECK(made.Reports("a name that no JVM takes"));
}

TEST_CASE("an output that has no room leaves the class as it was") {
  Instrumenter made;
  CHECK_FALSE(made.instrumenter.Instrument({"a/T", Countdown()},
                                           [](size_t) -> uint8_t* { return nullptr; }));
  CHECK_FALSE(made.Run(Countdown()).empty());
}

// static int max(int,int) as in java.lang.Math, and a caller that calls it twice per iteration.
TEST_CASE("an intrinsic's calls are those of its sites where its entries say less") {
  Instrumenter made(Placed(PlacementPolicy::kDirect));
  const Bytes max = Code({B(Op::iload_0), B(Op::ireturn)});
  made.Run(
      AssembledClass("java/lang/Math")
          .Add({.name = "max", .descriptor = "(II)I", .code = max, .intrinsic_candidate = true})
          .Add({.name = "min", .descriptor = "(II)I", .code = max})
          .Bytes());
  AssembledClass user("a/User");
  const int max_ref = user.MethodRef("java/lang/Math", "max", "(II)I");
  const int min_ref = user.MethodRef("java/lang/Math", "min", "(II)I");
  Bytes code;
  for (const int ref : {max_ref, max_ref, min_ref}) {
    const Bytes call =
        Code({B(Op::iload_0), B(Op::iload_0), B(Op::invokestatic), ref >> 8, ref, B(Op::pop)});
    code.insert(code.end(), call.begin(), call.end());
  }
  code.push_back(static_cast<uint8_t>(Op::return_));
  REQUIRE_FALSE(made.Run(user.Add({.descriptor = "(I)V", .code = code}).Bytes()).empty());
  // Counters: the entries of max and of min, then those of f and of its call sites.
  std::vector<uint64_t> counters(made.counters(), 0);
  REQUIRE(counters.size() >= 3);
  counters[0] = 7;
  counters[1] = 9;
  std::fill(counters.begin() + 2, counters.end(), 100);
  CHECK(ProfileOf(made, counters) ==
        "a.User.f(int)void: 100\n"
        "java.lang.Math.max(int, int)int: 200\n"
        "java.lang.Math.min(int, int)int: 9\n");
  CHECK(made.Reports("intrinsics counted at their call sites: 1"));
}

TEST_CASE("self-check: every edge counted, and a report") {
  InstrumenterOptions options;
  options.self_check = true;
  Instrumenter made(options);
  REQUIRE_FALSE(made.Run(Countdown()).empty());
  // Entry 5, taken 5, fall-through and jump 30, return 5: one counter per edge.
  const uint64_t edges = made.counters();
  CHECK(edges > 3);
  std::vector<uint64_t> zeros(edges, 0);
  Assembled(made, zeros);
  CHECK(made.Reports("selfcheck: 0 methods"));
  std::vector<uint64_t> broken(edges, 0);
  broken[0] = 3;  // entered three times, with no other count
  Assembled(made, broken);
  CHECK(made.Reports("selfcheck: 1 methods"));
  CHECK(made.Reports("selfcheck: beyond k: a/T.f.I.I edge"));
}

}  // namespace
}  // namespace iprof::instrument
