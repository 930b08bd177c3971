#include "cli/files/fitness/fitness.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "agent/classfile/code.h"
#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/table/code_hash.h"
#include "cli/classpath/archive_builder.h"
#include "writer/base/temporary_folder.h"

using namespace iprof;
using namespace iprof::fitness;
using classfile::Op;
using instrument::AssembledClass;
using instrument::B;

namespace {

// Class files as a jar, which is the class path.
class Program {
 public:
  void Add(const std::string& internal_name, AssembledClass klass) {
    AddBytes(internal_name, klass.Bytes());
  }
  void AddBytes(const std::string& internal_name, const std::vector<uint8_t>& bytes) {
    classes_[internal_name] = std::string(bytes.begin(), bytes.end());
  }
  void Remove(const std::string& internal_name) { classes_.erase(internal_name); }

  Fitness Check(const Profile& profile, const FitnessOptions& options = {}) const {
    std::vector<classpath::TestEntry> entries;
    for (const auto& [name, bytes] : classes_) entries.push_back({name + ".class", bytes, true});
    const std::string jar =
        folder_.Write("app.jar", classpath::ToText(classpath::MakeArchive(entries)));
    const auto classes = classpath::OpenClassPath(jar, "", 17);
    REQUIRE(classes.ok());
    return CheckFitness(profile, *classes, options);
  }

 private:
  TemporaryFolder folder_;
  std::map<std::string, std::string> classes_;
};

// The class p.A: f(int) counts down, g() and h() have one call, type check or switch each.
AssembledClass ClassA(bool is_changed = false) {
  AssembledClass a("p/A");
  std::vector<uint8_t> countdown = instrument::CountdownCode();
  // Another constant in the loop changes the code, but no position.
  if (is_changed) countdown[6] = static_cast<uint8_t>(-2);
  a.Add({.name = "f", .descriptor = "(I)I", .code = countdown});
  const uint16_t call = a.MethodRef("p/B", "run", "()V");
  // 0 aload_0; 1 invokevirtual; 4 aload_0; 5 instanceof; 8 pop; 9 return
  const uint16_t klass = a.Class("p/C");
  a.Add({.name = "g",
         .descriptor = "(Lp/B;)V",
         .code = instrument::Code({B(Op::aload_0), B(Op::invokevirtual), call >> 8, call & 255,
                                   B(Op::aload_0), B(Op:: instanceof), klass >> 8, klass & 255,
                                   B(Op::pop), B(Op::return_)})});
  // 0 iload_0; 1 tableswitch 0..1: 24, 25, default 26; 24 return; 25 return; 26 return
  a.Add({.name = "h",
         .descriptor = "(I)V",
         .code = instrument::Code({B(Op::iload_0),
                                   B(Op::tableswitch),
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   25,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   1,
                                   0,
                                   0,
                                   0,
                                   23,
                                   0,
                                   0,
                                   0,
                                   24,
                                   B(Op::return_),
                                   B(Op::return_),
                                   B(Op::return_)})});
  return a;
}

constexpr uint16_t kAbstract = 0x0421;

void AddClasses(Program* program) {
  program->Add("java/lang/Object", AssembledClass("java/lang/Object", ""));
  program->Add("p/A", ClassA());
  program->Add("p/B", AssembledClass("p/B", "java/lang/Object", kAbstract));
  program->Add("p/C", AssembledClass("p/C", "p/B"));
  program->Add("p/D", AssembledClass("p/D", "p/C"));
  program->Add("q/Other", AssembledClass("q/Other"));
}

// The hash of the method's code, as the agent computes it.
uint64_t HashIn(AssembledClass klass, std::string_view method) {
  const auto bytes = klass.Bytes();
  classfile::Arena arena;
  classfile::ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == classfile::Reason::kOk);
  for (const auto& member : file.methods()) {
    if (file.NameOf(member) != method) continue;
    classfile::MethodCode code;
    REQUIRE(code.Decode(file, member, arena) == classfile::Reason::kOk);
    classfile::SymbolicCode scratch;
    return instrument::CodeHash(code, scratch);
  }
  FAIL("no such method");
  return 0;
}

class TestProfile {
 public:
  TestProfile() { profile.AddStandardTypes(); }
  MethodIndex Method(std::string_view type, std::string_view name, std::string_view result,
                     std::vector<std::string> parameters = {}) {
    std::vector<TypeIndex> signature{profile.AddType(type), profile.AddType(result)};
    for (const std::string& each : parameters) signature.push_back(profile.AddType(each));
    return profile.AddMethod(name, signature);
  }
  MethodIndex f() { return Method("p.A", "f", "int", {"int"}); }
  MethodIndex g() { return Method("p.A", "g", "void", {"p.B"}); }
  MethodIndex h() { return Method("p.A", "h", "void", {"int"}); }
  ContextIndex At(MethodIndex method, Bci bci, ContextIndex caller = kNoContext) {
    return profile.AddContext(caller, method, bci);
  }
  void Calls(MethodIndex method, int64_t count) {
    profile.AddCount(Table::kCalls, At(method, 0), count);
  }
  void Branch(MethodIndex method, Bci bci, std::vector<Successor> successors) {
    profile.AddSuccessors(At(method, bci), successors);
  }
  void Types(Table table, MethodIndex method, Bci bci,
             const std::vector<std::pair<std::string, int64_t>>& counts) {
    std::vector<TypeCount> added;
    for (const auto& [name, count] : counts) added.push_back({profile.AddType(name), count});
    profile.AddTypeCounts(table, At(method, bci), added);
  }
  // Records of every table that fit.
  void AddFitting() {
    Calls(f(), 10);
    Branch(f(), 1, {{10, 0, 3}, {4, 1, 7}});
    Branch(h(), 1, {{24, 0, 5}, {25, 1, 6}, {26, 2, 7}});
    Types(Table::kVirtualInvokes, g(), 1, {{"p.C", 8}, {"p.D", 1}});
    Types(Table::kInstanceOfs, g(), 5, {{"p.C", 4}, {"q.Other", 2}, {"[I", 1}});
    profile.AddCount(Table::kSamples, At(f(), 4, At(g(), 1)), 2);
    for (const char* const name : {"f", "g", "h"}) {
      const MethodIndex method = *name == 'f' ? f() : *name == 'g' ? g() : h();
      profile.SetCodeHash(method, HashIn(ClassA(), name));
    }
  }

  Profile profile;
};

std::string Text(const Fitness& fit) {
  std::string text;
  for (const StaleMethod& stale : fit.stale) {
    text += stale.method + ": " + std::string(NameOf(stale.reason)) + ": " + stale.detail + " (" +
            std::to_string(stale.weight) + " in " + std::to_string(stale.entries) + ")\n";
  }
  return text;
}

void CheckShare(const FitShare& share, int64_t weight, int64_t relevant, int64_t applicable) {
  CHECK(share.weight == weight);
  CHECK(share.relevant == relevant);
  CHECK(share.applicable == applicable);
}

}  // namespace

TEST_CASE("Records fit the classes that they were taken from") {
  Program program;
  AddClasses(&program);
  TestProfile test;
  test.AddFitting();
  test.profile.AddTypeCounts(Table::kMonitors, test.profile.AddMonitorContext(),
                             std::vector<TypeCount>{{test.profile.AddType("gone.Lock"), 5}});
  const Fitness fit = program.Check(test.profile);
  CHECK(Text(fit).empty());
  CheckShare(fit.total, 56, 56, 56);
  CHECK(fit.total.entries == 6);
  CHECK(fit.without_hash == 0);
  REQUIRE(fit.packages.size() == 1);
  CHECK(fit.packages[0].name == "p");
  CheckShare(fit.packages[0].share, 56, 56, 56);
  CheckShare(fit.tables[static_cast<size_t>(Table::kConditionals)], 28, 28, 28);
}

TEST_CASE("A method whose code changed is stale with all of its records, the others are not") {
  Program program;
  AddClasses(&program);
  program.Add("p/A", ClassA(true));
  TestProfile test;
  test.AddFitting();
  const Fitness fit = program.Check(test.profile);
  CHECK(Text(fit) == "p.A.f(int)int: other-code:  (22 in 3)\n");
  CheckShare(fit.total, 56, 56, 34);
}

TEST_CASE("Without a hash of the code, positions are compared") {
  Program program;
  AddClasses(&program);
  program.Add("p/A", ClassA(true));
  TestProfile test;
  test.AddFitting();
  test.profile.ForgetCodeHashes();
  Fitness fit = program.Check(test.profile);
  CHECK(Text(fit).empty());
  CHECK(fit.without_hash == 3);
  CheckShare(fit.total, 56, 56, 56);
}

TEST_CASE("Classes and methods that do not exist make records irrelevant") {
  Program program;
  AddClasses(&program);
  program.AddBytes("q/Bad", {1, 2, 3});
  TestProfile test;
  test.AddFitting();
  test.Calls(test.Method("p.A", "f", "int", {"long"}), 100);
  test.Calls(test.Method("p.A", "f", "void", {"int"}), 200);
  test.Calls(test.Method("gone.X", "f", "void"), 1000);
  test.Calls(test.Method("Default", "f", "void"), 50);
  test.Calls(test.Method("q.Bad", "f", "void"), 30);
  const Fitness fit = program.Check(test.profile);
  CHECK(Text(fit) ==
        "gone.X.f()void: no-class: there is no class gone.X (1000 in 1)\n"
        "p.A.f(int)void: no-method:  (200 in 1)\n"
        "p.A.f(long)int: no-method:  (100 in 1)\n"
        "Default.f()void: no-class: there is no class Default (50 in 1)\n"
        "q.Bad.f()void: bad-class: " +
            fit.stale.back().detail + " (30 in 1)\n");
  CHECK(
      fit.stale.back().detail.ends_with("app.jar: not a class file (no 0xCAFEBABE, or cut short)"));
  CheckShare(fit.total, 56 + 1380, 56, 56);
  REQUIRE(fit.packages.size() == 4);
  CHECK(fit.packages[0].name == "gone");
  CHECK(fit.packages[1].name == "p");
  CheckShare(fit.packages[1].share, 356, 56, 56);
  CHECK(fit.packages[2].name.empty());
}

TEST_CASE("A record at a position of another kind does not fit") {
  Program program;
  AddClasses(&program);
  TestProfile test;
  test.Branch(test.f(), 0, {{10, 0, 3}});
  test.Branch(test.f(), 2, {{10, 0, 30}});
  test.Branch(test.g(), 1, {{10, 0, 4}});
  test.Branch(test.h(), 400, {{10, 0, 5}});
  test.Branch(test.h(), -1, {{10, 0, 50}});
  test.Types(Table::kVirtualInvokes, test.g(), 5, {{"p.C", 6}});
  test.Types(Table::kInstanceOfs, test.f(), 1, {{"p.C", 7}});
  test.profile.AddCount(Table::kSamples, test.At(test.f(), 3), 8);
  const Fitness fit = program.Check(test.profile);
  CHECK(
      Text(fit) ==
      "p.A.h(int)void: other-instruction: there is no instruction at 400 (55 in 2)\n"
      "p.A.f(int)int: other-instruction: at 0 is no if or switch, but iload_0 (48 in 4)\n"
      "p.A.g(p.B)void: other-instruction: at 1 is no if or switch, but invokevirtual (10 in 2)\n");
  CheckShare(fit.total, 113, 113, 0);
}

TEST_CASE("Successors must be those of the instruction, of an if one of them") {
  Program program;
  AddClasses(&program);
  TestProfile test;
  const auto text = [&](MethodIndex method, std::vector<Successor> successors) {
    TestProfile one;
    one.Branch(method == test.f() ? one.f() : one.h(), 1, std::move(successors));
    return Text(program.Check(one.profile));
  };
  CHECK(text(test.f(), {{4, 0, 3}, {10, 1, 7}}).empty());
  CHECK(text(test.f(), {{53, 0, 3}, {10, 1, 7}}).empty());
  CHECK(text(test.f(), {{53, 0, 3}, {5, 1, 7}}) ==
        "p.A.f(int)int: other-successors: ifle at 1 does not go to 53 (10 in 1)\n");
  CHECK(text(test.h(), {{24, 0, 3}, {-5, 0, 7}, {26, 1, 1}}).empty());
  CHECK(text(test.h(), {{24, 0, 3}, {27, 1, 1}}) ==
        "p.A.h(int)void: other-successors: tableswitch at 1 does not go to 27 (4 in 1)\n");
}

TEST_CASE("Branches that an image build folded or inlined are not stale") {
  Program program;
  AddClasses(&program);
  const auto text = [&](bool is_if, std::vector<Successor> successors, bool has_hash = false) {
    TestProfile one;
    const MethodIndex method = is_if ? one.f() : one.h();
    one.Branch(method, 1, std::move(successors));
    if (has_hash) one.profile.SetCodeHash(method, HashIn(ClassA(), is_if ? "f" : "h"));
    const Fitness fit = program.Check(one.profile);
    if (fit.stale.empty()) CHECK(fit.total.applicable == fit.total.weight);
    return Text(fit);
  };
  // An if with five outcomes, none of them its own; a successor under two indices.
  const std::vector<Successor> folded{{30, 0, 1}, {41, 1, 2}, {52, 2, 3}, {63, 3, 4}, {74, 4, 5}};
  CHECK(text(true, folded).empty());
  CHECK(text(true, {{30, 0, 1}, {41, 1, 2}, {41, 2, 3}, {52, 3, 1}}).empty());
  // A switch with a switch of an inlined method in its default.
  CHECK(text(false, {{24, 0, 3}, {25, 1, 1}, {7, 2, 1}, {19, 3, 2}}).empty());
  // No more outcomes than ways, or taken from this very code: as always.
  CHECK(text(true, {{30, 0, 1}, {41, 1, 2}, {41, 2, 3}}) ==
        "p.A.f(int)int: other-successors: ifle at 1 does not go to 30 (6 in 1)\n");
  CHECK(text(true, folded, true) ==
        "p.A.f(int)int: other-successors: ifle at 1 does not go to 30 (15 in 1)\n");
}

TEST_CASE("Receivers must be objects of the call's class, and each class counts for itself") {
  Program program;
  AddClasses(&program);
  program.Add("q/Lost", AssembledClass("q/Lost", "gone/Super"));
  program.Add("q/Circle", AssembledClass("q/Circle", "q/Circle"));
  TestProfile test;
  test.Types(Table::kVirtualInvokes, test.g(), 1,
             {
                 {"p.C", 1},
                 {"p.B", 10},                       // abstract
                 {"q.Other", 100},                  // no p.B
                 {"q.Gone", 1000},                  // does not exist
                 {"q.Lost", 10'000},                // its superclass does not exist: not known
                 {"q.Circle", 100'000},             // no p.B
                 {"[I", 1'000'000},                 // no p.B
                 {"a.B$$Lambda$1/0x1", 10'000'000}  // not judged
             });
  const Fitness fit = program.Check(test.profile);
  CHECK(Text(fit) ==
        "p.A.g(p.B)void: other-receivers: at 1: p.B is abstract or an interface, so no object has "
        "this class (1101110 in 1)\n");
  CheckShare(fit.total, 11'111'111, 11'111'111, 10'010'001);
}

TEST_CASE("Callers must be calls") {
  Program program;
  AddClasses(&program);
  const auto text = [&](Table table, Bci caller_bci) {
    TestProfile test;
    test.profile.AddCount(table, test.At(test.f(), 0, test.At(test.g(), caller_bci)), 2);
    return Text(program.Check(test.profile));
  };
  CHECK(text(Table::kCalls, 1).empty());
  CHECK(text(Table::kCalls, 5) ==
        "p.A.g(p.B)void: other-instruction: at 5 is no call, but instanceof (2 in 1)\n");
  CHECK(text(Table::kSamples, 1).empty());
  CHECK(text(Table::kSamples, 5) ==
        "p.A.g(p.B)void: other-instruction: at 5 is no call, but instanceof (2 in 1)\n");
  CHECK(text(Table::kSamples, 6) ==
        "p.A.g(p.B)void: other-instruction: there is no instruction at 6 (2 in 1)\n");
}

TEST_CASE("A caller that does not exist leaves a record relevant, but not applicable") {
  Program program;
  AddClasses(&program);
  TestProfile test;
  const MethodIndex gone = test.Method("gone.X", "f", "void");
  test.profile.AddCount(Table::kCalls, test.At(test.f(), 0, test.At(gone, 1)), 2);
  const Fitness fit = program.Check(test.profile);
  CHECK(Text(fit) == "gone.X.f()void: no-class: there is no class gone.X (2 in 1)\n");
  CheckShare(fit.total, 2, 2, 0);
}

TEST_CASE("Lambdas and proxies are apart: their names must be those of the build") {
  Program program;
  AddClasses(&program);
  const std::string of_17 = "p.A$$Lambda$0123456789abcdef0123456789abcdef01234567";
  const std::string of_25 = "p.A$$Lambda/0x0123456789abcdef0123456789abcdef0";
  TestProfile test;
  test.AddFitting();
  test.Calls(test.Method(of_17, "run", "void"), 100);
  test.Calls(test.Method(of_25, "run", "void"), 200);
  test.Calls(test.Method("jdk.proxy2.$Proxy/s12ab", "run", "void"), 1000);
  test.Calls(test.Method("java.lang.invoke.LambdaForm$MH/s12ab", "run", "void"), 3000);
  const auto check = [&](NamingRule rule, std::optional<NamingRule> profile_rule) {
    return program.Check(test.profile, {.rule = rule, .profile_rule = profile_rule});
  };
  const Fitness on_17 = check(NamingRule::k17, {});
  CheckShare(on_17.total, 56, 56, 56);
  CHECK(on_17.generated.entries == 4);
  CHECK(on_17.generated.weight == 4300);
  CHECK(on_17.misnamed.weight == 200);
  CHECK(Text(on_17) == of_25 +
                           ".run()void: other-name: an image build for that JDK gives another name "
                           "(200 in 1)\n");
  CHECK(check(NamingRule::k25, {}).misnamed.weight == 100);
  CHECK(check(NamingRule::k25, NamingRule::k25).misnamed.weight == 100);
  // The names for 24 and 25 look alike, but the profile says which they are.
  CHECK(check(NamingRule::k25, NamingRule::k23).misnamed.weight == 300);
}

TEST_CASE("What a lambda's callers are makes no difference") {
  Program program;
  AddClasses(&program);
  TestProfile test;
  const MethodIndex lambda =
      test.Method("p.A$$Lambda$0123456789abcdef0123456789abcdef01234567", "run", "void");
  const MethodIndex gone = test.Method("gone.X", "f", "void");
  test.profile.AddCount(Table::kSamples, test.At(lambda, 0, test.At(gone, 1)), 2);
  test.profile.AddCount(Table::kSamples, test.At(test.f(), 0, test.At(lambda, 1)), 3);
  const Fitness fit = program.Check(test.profile, {.rule = NamingRule::k25});
  CHECK(fit.generated.weight == 2);
  CHECK(fit.misnamed.weight == 2);
  REQUIRE(fit.stale.size() == 1);
  CHECK(fit.stale[0].reason == Misfit::kOtherName);
  CheckShare(fit.total, 3, 3, 3);
}

TEST_CASE("A store into an array checks a type") {
  Program program;
  AddClasses(&program);
  AssembledClass klass("p/Store");
  // 0 aload_0; 1 iconst_0; 2 aload_1; 3 aastore; 4 return
  klass.Add({.name = "f",
             .descriptor = "([Lp/C;Lp/C;)V",
             .code = instrument::Code({B(Op::aload_0), B(Op::iconst_0), B(Op::aload_1),
                                       B(Op::aastore), B(Op::return_)})});
  program.Add("p/Store", klass);
  TestProfile test;
  test.Types(Table::kInstanceOfs, test.Method("p.Store", "f", "void", {"[Lp.C;", "p.C"}), 3,
             {{"p.C", 4}});
  CHECK(Text(program.Check(test.profile)).empty());
}

TEST_CASE(
    "Classes that are made at run time are apart, unless a build step made their class files") {
  Program program;
  AddClasses(&program);
  program.Add("p/A$$SpringCGLIB$$0", AssembledClass("p/A$$SpringCGLIB$$0"));
  TestProfile test;
  test.AddFitting();
  test.Calls(test.Method("p.A$$SpringCGLIB$$1", "f", "int"), 100);
  test.Calls(test.Method("jdk.proxy2.$Proxy12", "f", "int"), 10);
  test.Types(Table::kVirtualInvokes, test.g(), 1, {{"p.C$HibernateProxy$1", 5}});
  const Fitness fit = program.Check(test.profile);
  CHECK(Text(fit).empty());
  CHECK(fit.run_time.entries == 2);
  CHECK(fit.run_time.weight == 110);
  CHECK(fit.generated.weight == 110);
  CHECK(fit.Applicability() == 1);
  // This one has a class file, which has no such method.
  test.Calls(test.Method("p.A$$SpringCGLIB$$0", "f", "int"), 61);
  const Fitness stale = program.Check(test.profile);
  CHECK(Text(stale) == "p.A$$SpringCGLIB$$0.f()int: no-method:  (61 in 1)\n");
  CHECK(stale.Applicability() == 0.5);
}

TEST_CASE("A lambda of a class that does not exist is stale") {
  Program program;
  AddClasses(&program);
  TestProfile test;
  test.Calls(test.Method("p.Gone$$Lambda$0123456789abcdef0123456789abcdef01234567", "run", "void"),
             100);
  const Fitness fit = program.Check(test.profile, {.rule = NamingRule::k17});
  CHECK(fit.generated.entries == 0);
  REQUIRE(fit.stale.size() == 1);
  CHECK(fit.stale[0].detail == "there is no class p.Gone");
  CheckShare(fit.total, 100, 0, 0);
}

TEST_CASE("Classes of a part that the class path does not have are not judged") {
  Program program;
  AddClasses(&program);
  TestProfile test;
  test.AddFitting();
  test.Calls(test.Method("java.lang.String", "length", "int"), 100);
  Fitness fit = program.Check(test.profile);
  CHECK(Text(fit).empty());
  CHECK(fit.unjudged.entries == 1);
  CHECK(fit.unjudged.weight == 100);
  CheckShare(fit.total, 56, 56, 56);
  // Only a JDK was asked for.
  program.Remove("p/A");
  fit = program.Check(test.profile, {.has_application = false});
  CHECK(Text(fit).empty());
  CHECK(fit.unjudged.entries == 7);
  CHECK(fit.total.entries == 0);
}
