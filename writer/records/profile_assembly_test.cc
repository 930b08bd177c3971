// Makes profiles from counters and hand-made records.
#include "writer/records/profile_assembly.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "writer/records/method_record.h"
#include "writer/records/replaced_methods.h"

namespace iprof {
namespace {

constexpr uint16_t kAccPublic = 0x0001;
constexpr uint16_t kAccStatic = 0x0008;
constexpr uint16_t kAccFinal = 0x0010;

// Makes classes whose counters are numbered in the order in which methods were added.
class Classes {
 public:
  ClassRecord& Add(std::string_view name, std::string_view super = "java/lang/Object") {
    auto c = std::make_unique<ClassRecord>();
    c->name = c->Keep(name);
    c->super_name = c->Keep(super);
    c->access = kAccPublic;
    classes_.push_back(std::move(c));
    return *classes_.back();
  }

  // A method with an entry counter only, and with call sites that run as often as the method.
  CountedMethod& Method(ClassRecord& c, std::string_view name, uint64_t entries,
                        const std::vector<uint32_t>& callees = {}) {
    MethodRecord record;
    record.derivation.counter_count = 1;
    uint32_t bci = 3;
    for (const uint32_t callee : callees) {
      record.calls.push_back({bci, callee, 0});
      bci += 3;
    }
    return Put(c, name, "()V", record, {entries});
  }

  // static int name(int) with an if at bci 1: target 10 counted, fall-through 4 derived.
  CountedMethod& IfMethod(ClassRecord& c, std::string_view name, uint64_t entries, uint64_t taken,
                          uint64_t code_hash = 0) {
    MethodRecord record;
    record.derivation.counter_count = 2;
    record.derivation.operands = {Operand::Plus(0), Operand::Minus(1)};
    record.derivation.step_end = {2};
    record.certificate.kind = Exactness::kBounded;
    record.certificate.live_frames_matter = true;
    record.branches = {{1, BranchKind::kIf, 2}};
    record.successors = {{10, 1}, {4, 2}};
    CountedMethod& method = Put(c, name, "(I)I", record, {entries, taken});
    method.code_hash = code_hash;
    return method;
  }

  AssemblyResult AddTo(Profile& profile, AssemblyOptions options = {}, uint64_t live = 0,
                       const OriginOf& origin_of = {}) {
    std::vector<const ClassRecord*> all;
    for (const auto& c : classes_) {
      for (CountedMethod& m : c->methods) {
        m.origin = origin_of ? origin_of(*c, m) : MethodOrigin::kSame;
      }
      all.push_back(c.get());
    }
    return AssembleProfile(
        RecordedClasses(all),
        {counters_, TypeCounts(), [&](const MethodKey&) { return live; }, {}, first_seen_}, options,
        profile);
  }

  std::vector<uint64_t> counters_;
  std::vector<uint16_t> first_seen_;

  CountedMethod& Put(ClassRecord& c, std::string_view name, std::string_view descriptor,
                     const MethodRecord& record, const std::vector<uint64_t>& values) {
    CountedMethod method;
    method.name = c.Keep(name);
    method.descriptor = c.Keep(descriptor);
    method.access = kAccStatic;
    method.record = static_cast<uint32_t>(c.records.size());
    method.counters = record.derivation.counter_count;
    method.first = CounterIndex{static_cast<uint32_t>(counters_.size())};
    EncodeMethodRecord(record, &c.records);
    counters_.insert(counters_.end(), values.begin(), values.end());
    c.methods.push_back(method);
    return c.methods.back();
  }

 private:
  std::vector<std::unique_ptr<ClassRecord>> classes_;
};

// The whole profile as text: "a.B.f(int)int: 5 calls" and "a.B.f(int)int: @1 (10,0):3 (4,1):2".
std::string Text(const Profile& profile) {
  std::vector<std::string> lines;
  for (const EntryIndex e : EntriesOf(profile, Table::kCalls)) {
    const ContextIndex context = profile.EntryContext(Table::kCalls, e);
    lines.push_back(profile.DescribeMethod(profile.InnermostFrame(context).method) + ": " +
                    std::to_string(profile.EntryCount(Table::kCalls, e)) + " calls\n");
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

TEST_CASE(
    "methods have the order of the readings that first saw them, and then of their counters") {
  Classes classes;
  ClassRecord& a = classes.Add("a/A");
  classes.Method(a, "late", 5);
  classes.IfMethod(a, "early", 9, 2);
  classes.Method(a, "never", 0);
  classes.Method(classes.Add("a/B"), "early_too", 1);
  classes.Method(classes.Add("a/C"), "unseen", 1);
  classes.first_seen_ = {3, 0, 1, 0, 1, 0};
  Profile profile;
  classes.AddTo(profile);
  std::map<std::string, FirstCall> found;
  for (const MethodIndex method : MethodsOf(profile)) {
    const FirstCall first = profile.FirstCallOf(method);
    if (first.is_known()) found[std::string(profile.MethodName(method))] = first;
  }
  CHECK(found == std::map<std::string, FirstCall>{
                     {"early", {1, 1}}, {"early_too", {2, 1}}, {"late", {3, 1}}});
}

TEST_CASE("calls and branches: counted and derived values, the if's two successors") {
  Classes classes;
  classes.IfMethod(classes.Add("a/B"), "f", 5, 3);
  Profile profile;
  const AssemblyResult statistics = classes.AddTo(profile);
  CHECK(Text(profile) ==
        "a.B.f(int)int: 5 calls\n"
        "a.B.f(int)int: @1 (10,0):3 (4,1):2\n");
  CHECK(statistics.methods_exact == 1);
  CHECK(statistics.clamps == 0);
}

TEST_CASE("methods that did not run are named, and have no entries") {
  Classes classes;
  classes.IfMethod(classes.Add("a/B"), "f", 0, 0);
  Profile profile;
  const AssemblyResult statistics = classes.AddTo(profile);
  CHECK(Text(profile).empty());
  CHECK(profile.method_count() == 1);
  CHECK(statistics.methods_exact == 0);
}

TEST_CASE("options leave tables out") {
  Classes classes;
  classes.IfMethod(classes.Add("a/B"), "f", 5, 3);
  Profile calls, branches;
  classes.AddTo(calls, {.calls = true, .branches = false});
  classes.AddTo(branches, {.calls = false, .branches = true});
  CHECK(Text(calls) == "a.B.f(int)int: 5 calls\n");
  CHECK(Text(branches) == "a.B.f(int)int: @1 (10,0):3 (4,1):2\n");
}

TEST_CASE("a derived count that would be negative is clamped and reported") {
  Classes classes;
  classes.IfMethod(classes.Add("a/B"), "f", 2, 3);
  Profile profile;
  CHECK(classes.AddTo(profile).clamps == 1);
  CHECK(Text(profile) ==
        "a.B.f(int)int: 2 calls\n"
        "a.B.f(int)int: @1 (10,0):3 (4,1):0\n");
}

TEST_CASE("frames that are still there make the bound") {
  Classes classes;
  classes.IfMethod(classes.Add("a/B"), "f", 5, 3);
  Profile profile;
  const AssemblyResult statistics = classes.AddTo(profile, {}, 4);
  CHECK(statistics.methods_exact == 0);
  CHECK(statistics.methods_bounded == 1);
  CHECK(statistics.largest_k == 4);
}

TEST_CASE("versions of a class: calls add up, and branches if the code is the same") {
  Classes classes;
  classes.IfMethod(classes.Add("a/B"), "f", 5, 3, 77);
  classes.IfMethod(classes.Add("a/B"), "f", 10, 10, 77);
  Profile profile;
  CHECK(classes.AddTo(profile).versions_dropped == 0);
  CHECK(Text(profile) ==
        "a.B.f(int)int: 15 calls\n"
        "a.B.f(int)int: @1 (10,0):13 (4,1):2\n");
}

TEST_CASE("versions with different code: calls add up, branches are those of the busier one") {
  Classes classes;
  classes.IfMethod(classes.Add("a/B"), "f", 5, 3, 77);
  classes.IfMethod(classes.Add("a/B"), "f", 10, 10, 88);
  Profile profile;
  CHECK(classes.AddTo(profile).versions_dropped == 1);
  CHECK(Text(profile) ==
        "a.B.f(int)int: 15 calls\n"
        "a.B.f(int)int: @1 (10,0):10 (4,1):0\n");
}

TEST_CASE("of methods that another agent changed, calls are written and positions are not") {
  Classes classes;
  ClassRecord& changed = classes.Add("a/B");
  changed.methods.reserve(3);
  classes.IfMethod(changed, "f", 5, 3, 1);
  classes.IfMethod(changed, "same", 7, 2, 2);
  classes.Method(changed, "$added", 1);
  Profile profile;
  const AssemblyResult statistics =
      classes.AddTo(profile, {}, 0, [](const ClassRecord&, const CountedMethod& m) {
        if (m.name == "f") return MethodOrigin::kChanged;
        return m.name == "same" ? MethodOrigin::kSame : MethodOrigin::kAdded;
      });
  CHECK(Text(profile) ==
        "a.B.f(int)int: 5 calls\n"
        "a.B.same(int)int: 7 calls\n"
        "a.B.same(int)int: @1 (10,0):2 (4,1):5\n");
  CHECK(profile.method_count() == 2);
  CHECK(statistics.positions_dropped == 1);
  CHECK(statistics.added_methods.count(MethodKey(InternalName("a/B"), "$added", "()V")) == 1);
}

TEST_CASE("a changed version, however busy, does not replace the positions of an unchanged one") {
  Classes classes;
  classes.IfMethod(classes.Add("a/B"), "f", 5, 3, 1);
  classes.IfMethod(classes.Add("a/B"), "f", 1000, 1, 2);
  Profile profile;
  const AssemblyResult statistics =
      classes.AddTo(profile, {}, 0, [](const ClassRecord&, const CountedMethod& m) {
        return m.code_hash == 2 ? MethodOrigin::kChanged : MethodOrigin::kSame;
      });
  CHECK(Text(profile) ==
        "a.B.f(int)int: 1005 calls\n"
        "a.B.f(int)int: @1 (10,0):3 (4,1):2\n");
  CHECK(statistics.positions_dropped == 1);
  CHECK(statistics.versions_dropped == 0);
}

TEST_CASE("an intrinsic candidate has at least the calls of its sites") {
  Classes classes;
  ClassRecord& math = classes.Add("a/Math");
  classes.Method(math, "max", 16).intrinsic_candidate = true;
  classes.Method(math, "min", 900).intrinsic_candidate = true;
  classes.Method(math, "plain", 16);
  ClassRecord& user = classes.Add("a/User");
  user.callees = {{"a/Math", "max", "()V", false},
                  {"a/Math", "min", "()V", false},
                  {"a/Math", "plain", "()V", false},
                  {"a/Gone", "max", "()V", false}};
  classes.Method(user, "run", 300, {0, 0, 1, 2, 3});
  Profile profile;
  const AssemblyResult result = classes.AddTo(profile);
  CHECK(result.methods_replaced == 1);
  CHECK(result.methods_exact == 3);
  CHECK(result.replaced_calls == std::map<std::string, uint64_t>{{"a.Math.max()void", 584}});
  CHECK(Text(profile) ==
        "a.Math.max()void: 600 calls\n"
        "a.Math.min()void: 900 calls\n"
        "a.Math.plain()void: 16 calls\n"
        "a.User.run()void: 300 calls\n");
}

TEST_CASE("a replaced method is as sure as its entries are many, but for calls that sites count") {
  const auto sureness_of = [](const char* name, uint64_t entries) {
    Classes classes;
    ClassRecord& box = classes.Add("a/Box");
    box.callees = {{"a/Box", "init", "()V", false}};
    classes.Method(box, "valueOf", entries, {0}).intrinsic_candidate = true;
    classes.Method(box, "init", entries);
    ClassRecord& user = classes.Add("a/User");
    user.callees = {{"a/Box", "valueOf", "()V", false}};
    classes.Method(user, "run", 3000, {0});
    Profile profile;
    classes.AddTo(profile);
    for (const MethodIndex method : MethodsOf(profile)) {
      if (profile.DescribeMethod(method).find(name) != std::string::npos)
        return profile.SurenessOf(method);
    }
    return Sureness();
  };
  const auto but_for_calls = [](uint64_t entries) {
    return Sureness::Of(Sureness::Bounded(), Sureness::EstimatedFrom(entries));
  };
  CHECK(sureness_of("valueOf", 1000) == but_for_calls(1000));
  CHECK(sureness_of("valueOf", 5) == but_for_calls(5));
  CHECK(sureness_of("valueOf", 0) == Sureness::Bounded());
  CHECK(sureness_of("run", 5) == Sureness::Exact());
  // It was entered 1,000 times, and 2,000 calls more of valueOf would have called it.
  CHECK(sureness_of("init", 1000) == Sureness::EstimatedFrom(ReplacedMethods::kLeastEntries));
  CHECK(sureness_of("init", 2000) == but_for_calls(2000));
}

TEST_CASE(
    "a replaced method's branches are multiplied as its calls, if enough of them were counted") {
  const auto profile_of = [](uint64_t entries, uint64_t taken, AssemblyOptions options = {}) {
    Classes classes;
    ClassRecord& math = classes.Add("java/lang/Long");
    classes.IfMethod(math, "valueOf", entries, taken).intrinsic_candidate = true;
    ClassRecord& user = classes.Add("a/User");
    user.callees = {{"java/lang/Long", "valueOf", "(I)I", false}};
    classes.Method(user, "run", 3000, {0});
    Profile profile;
    const AssemblyResult result = classes.AddTo(profile, options);
    std::string text = Text(profile);
    text = text.substr(text.find("java"));
    for (const auto& [method, calls] : result.replaced_calls)
      text += "estimated: " + std::to_string(calls) + " of " + method + "\n";
    text += std::to_string(result.methods_exact) + " exact";
    return text;
  };
  CHECK(profile_of(1000, 600) ==
        "java.lang.Long.valueOf(int)int: 3000 calls\n"
        "java.lang.Long.valueOf(int)int: @1 (10,0):1800 (4,1):1200\n"
        "estimated: 2000 of java.lang.Long.valueOf(int)int\n"
        "1 exact");
  // A way that was taken once stays so, and one that never was, never.
  CHECK(profile_of(2000, 1).find("@1 (10,0):2 (4,1):2999\n") != std::string::npos);
  CHECK(profile_of(2000, 0).find("@1 (10,0):0 (4,1):3000\n") != std::string::npos);
  // Counted at each call.
  CHECK(profile_of(3000, 600) ==
        "java.lang.Long.valueOf(int)int: 3000 calls\n"
        "java.lang.Long.valueOf(int)int: @1 (10,0):600 (4,1):2400\n"
        "2 exact");
  // A few entries say nothing about the others, but the note says that they are missing.
  CHECK(profile_of(99, 9) ==
        "java.lang.Long.valueOf(int)int: 3000 calls\n"
        "java.lang.Long.valueOf(int)int: @1 (10,0):9 (4,1):90\n"
        "estimated: 2901 of java.lang.Long.valueOf(int)int\n"
        "1 exact");
  CHECK(profile_of(0, 0) ==
        "java.lang.Long.valueOf(int)int: 3000 calls\n"
        "estimated: 3000 of java.lang.Long.valueOf(int)int\n"
        "1 exact");
  // The calls are known also where only branches are written.
  CHECK(profile_of(1000, 600, {.calls = false}) ==
        "java.lang.Long.valueOf(int)int: @1 (10,0):1800 (4,1):1200\n"
        "estimated: 2000 of java.lang.Long.valueOf(int)int\n"
        "1 exact");
}

// Reached 1000 times by derivation; the handler's counter says how many of these may be wrong.
TEST_CASE("sites that may be too high do not outdo an entry counter that may be right") {
  const auto calls_of_max = [](uint64_t entries_of_max, uint64_t caught, Exactness kind) {
    Classes classes;
    ClassRecord& math = classes.Add("a/Math");
    classes.Method(math, "max", entries_of_max).intrinsic_candidate = true;
    ClassRecord& user = classes.Add("a/User");
    user.callees = {{"a/Math", "max", "()V", false}};
    MethodRecord record;
    record.derivation.counter_count = 2;
    record.derivation.operands = {Operand::Plus(0)};
    record.derivation.step_end = {1};
    record.certificate.kind = kind;
    record.certificate.abrupt = {1};
    record.certificate.disturbed = {2};
    record.calls.push_back({6, 0, 2});
    classes.Put(user, "run", "()V", record, {1000, caught});
    Profile profile;
    classes.AddTo(profile);
    const std::string text = Text(profile);
    return text.substr(0, text.find(" calls"));
  };
  CHECK(calls_of_max(10, 0, Exactness::kBounded) == "a.Math.max()void: 1000");
  CHECK(calls_of_max(600, 400, Exactness::kBounded) == "a.Math.max()void: 600");
  CHECK(calls_of_max(10, 400, Exactness::kBounded) == "a.Math.max()void: 1000");
  CHECK(calls_of_max(10, 5000, Exactness::kBounded) == "a.Math.max()void: 10");
  CHECK(calls_of_max(10, 0, Exactness::kUnknown) == "a.Math.max()void: 10");
}

TEST_CASE(
    "virtual sites count only where the method cannot be overridden; names may be inherited") {
  Classes classes;
  ClassRecord& open = classes.Add("a/Open");
  CountedMethod& may = classes.Method(open, "may", 1);
  may.intrinsic_candidate = true;
  may.access = kAccPublic;
  CountedMethod& cannot = classes.Method(open, "cannot", 1);
  cannot.intrinsic_candidate = true;
  cannot.access = kAccPublic | kAccFinal;
  ClassRecord& closed = classes.Add("a/Closed");
  closed.access |= kAccFinal;
  CountedMethod& last = classes.Method(closed, "last", 1);
  last.intrinsic_candidate = true;
  last.access = kAccPublic;
  classes.Add("a/Sub", "a/Open");
  classes.Add("a/Cycle1", "a/Cycle2");
  classes.Add("a/Cycle2", "a/Cycle1");
  ClassRecord& user = classes.Add("a/User");
  user.callees = {{"a/Open", "may", "()V", true},
                  {"a/Open", "cannot", "()V", true},
                  {"a/Closed", "last", "()V", true},
                  {"a/Sub", "cannot", "()V", true},
                  {"a/Cycle1", "any", "()V", true}};
  classes.Method(user, "run", 10, {0, 1, 2, 3, 4});
  Profile profile;
  classes.AddTo(profile);
  CHECK(Text(profile) ==
        "a.Closed.last()void: 10 calls\n"
        "a.Open.cannot()void: 20 calls\n"
        "a.Open.may()void: 1 calls\n"
        "a.User.run()void: 10 calls\n");
}

TEST_CASE("a damaged record and counters that are missing cost their method only") {
  Classes classes;
  ClassRecord& c = classes.Add("a/B");
  classes.IfMethod(c, "f", 5, 3);
  const size_t damaged_from = c.records.size();
  classes.IfMethod(c, "g", 6, 3);
  classes.IfMethod(c, "h", 7, 3);
  c.records[damaged_from + 5] ^= 0xff;
  classes.counters_.pop_back();  // of h, the branch's
  Profile profile;
  CHECK(classes.AddTo(profile).damaged_records == 1);
  CHECK(Text(profile) ==
        "a.B.f(int)int: 5 calls\n"
        "a.B.f(int)int: @1 (10,0):3 (4,1):2\n"
        "a.B.h(int)int: 7 calls\n"
        "a.B.h(int)int: @1 (10,0):0 (4,1):7\n");
}

TEST_CASE(
    "a record belongs to one method, so that a small file cannot make a large profile of it") {
  Classes classes;
  ClassRecord& c = classes.Add("a/B");
  classes.IfMethod(c, "f", 5, 3);
  classes.IfMethod(c, "g", 6, 3);
  classes.IfMethod(c, "h", 7, 3);
  c.methods[1].record = c.methods[0].record;
  Profile profile;
  CHECK(classes.AddTo(profile).damaged_records == 1);
  CHECK(Text(profile) ==
        "a.B.g(int)int: 6 calls\n"
        "a.B.g(int)int: @1 (10,0):3 (4,1):3\n"
        "a.B.h(int)int: 7 calls\n"
        "a.B.h(int)int: @1 (10,0):3 (4,1):4\n");
}

TEST_CASE("methods that are too long are named with the calls of their own version") {
  Classes classes;
  for (const uint64_t calls : {uint64_t{5}, uint64_t{60}}) {
    ClassRecord& c = classes.Add("a/B");
    classes.Method(c, "f", calls);
    classes.Method(c, "g", calls + 1);
    c.left_out = {{0, {.everything = true}}, {1, {.everything = true}}};
  }
  Profile profile;
  const std::string report = classes.AddTo(profile).trimmed.Report();
  for (const char* line :
       {"a.B.f() (5 calls)", "a.B.g() (6 calls)", "a.B.f() (60 calls)", "a.B.g() (61 calls)"}) {
    INFO(report);
    CHECK(report.find(line) != std::string::npos);
  }
}

// An if whose fall-through is derived across a block that exceptions leave, and a counted one.
TEST_CASE(
    "a branch that exceptions may have moved by more than 1 % is left out, its method named") {
  const auto assembled = [](uint64_t unwinds, AssemblyResult* statistics) {
    Classes classes;
    ClassRecord& c = classes.Add("a/B");
    MethodRecord record;
    record.derivation.counter_count = 4;  // entry, taken, unwinds, the other branch's fall-through
    record.derivation.operands = {Operand::Plus(0), Operand::Minus(1)};
    record.derivation.step_end = {2};
    record.certificate.kind = Exactness::kBounded;
    record.certificate.abrupt = {2};
    record.certificate.disturbed = {4};
    record.branches = {{1, BranchKind::kIf, 2}, {10, BranchKind::kIf, 4}};
    record.successors = {{10, 1}, {4, 4}, {20, 1}, {13, 3}};
    classes.Put(c, "f", "(I)I", record, {1000, 300, unwinds, 5});
    Profile profile;
    *statistics = classes.AddTo(profile);
    return Text(profile);
  };
  AssemblyResult statistics;
  CHECK(assembled(10, &statistics) ==
        "a.B.f(int)int: 1000 calls\n"
        "a.B.f(int)int: @1 (10,0):300 (4,1):700\n"
        "a.B.f(int)int: @10 (20,0):300 (13,1):5\n");
  CHECK(statistics.branches_left_out == 0);
  CHECK(assembled(11, &statistics) ==
        "a.B.f(int)int: 1000 calls\n"
        "a.B.f(int)int: @10 (20,0):300 (13,1):5\n");
  CHECK(statistics.branches_left_out == 1);
  CHECK(statistics.branches_left_out_methods == 1);
  REQUIRE(statistics.branches_left_out_examples.size() == 1);
  CHECK(statistics.branches_left_out_examples[0] ==
        "1 of 2 branches of a.B.f(int): exceptions ended 11 of its 1000 calls");
}

TEST_CASE("counts beyond the format's integers are the largest ones") {
  Classes classes;
  classes.Method(classes.Add("a/B"), "f", UINT64_MAX);
  Profile profile;
  classes.AddTo(profile);
  CHECK(Text(profile) == "a.B.f()void: 9223372036854775807 calls\n");
}

TEST_CASE("a method with an invalid descriptor is left out") {
  Classes classes;
  ClassRecord& c = classes.Add("a/B");
  classes.Method(c, "f", 3).descriptor = "(";
  classes.Method(c, "g", 4);
  Profile profile;
  classes.AddTo(profile);
  CHECK(Text(profile) == "a.B.g()void: 4 calls\n");
}

}  // namespace
}  // namespace iprof
