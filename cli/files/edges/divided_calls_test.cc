// Calls by caller, from a profile and class files that are assembled here.
#include "cli/files/edges/divided_calls.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "agent/classfile/testing/assembled_class.h"
#include "cli/classpath/archive_builder.h"
#include "writer/base/temporary_folder.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {
namespace {

using classfile::Op;
using instrument::AssembledClass;
using instrument::B;

// Calls by callee and caller: "p.A.f <- p.B.g:3", or "p.A.f" without a caller.
using Edges = std::map<std::string, int64_t>;

std::vector<uint8_t> CallAndReturn(Op op, uint16_t method) {
  if (op == Op::invokestatic)
    return instrument::Code({B(op), method >> 8, method & 255, B(Op::return_)});
  return instrument::Code({B(Op::aload_0), B(op), method >> 8, method & 255, B(Op::return_)});
}

class Program {
 public:
  Program() { profile_.AddStandardTypes(); }

  void Add(const std::string& internal_name, AssembledClass klass) {
    const auto bytes = klass.Bytes();
    classes_[internal_name] = std::string(bytes.begin(), bytes.end());
  }
  MethodIndex Calls(const std::string& type, const std::string& name, int64_t calls,
                    const std::vector<std::string>& parameters = {}) {
    std::vector<TypeIndex> signature{profile_.AddType(type), profile_.AddType("void")};
    for (const std::string& each : parameters) signature.push_back(profile_.AddType(each));
    const MethodIndex method = profile_.AddMethod(name, signature);
    profile_.AddCount(Table::kCalls, profile_.AddContext(kNoContext, method, 0), calls);
    return method;
  }
  void Receivers(MethodIndex method, Bci bci,
                 const std::vector<std::pair<std::string, int64_t>>& objects) {
    std::vector<TypeCount> counts;
    for (const auto& [type, count] : objects) counts.push_back({profile_.AddType(type), count});
    profile_.AddTypeCounts(Table::kVirtualInvokes, profile_.AddContext(kNoContext, method, bci),
                           counts);
  }
  Profile& profile() { return profile_; }

  Edges Divide() {
    const DividedCalls divided = DivideCalls(profile_, Open());
    facts_ = divided.facts;
    Edges edges;
    const Profile& made = divided.profile;
    for (const EntryIndex entry : EntriesOf(made, Table::kCalls)) {
      const std::vector<Frame> frames = made.Frames(made.EntryContext(Table::kCalls, entry));
      std::string text = Short(made, frames[0].method);
      if (frames.size() > 1)
        text += " <- " + Short(made, frames[1].method) + ":" + std::to_string(frames[1].bci);
      edges[text] = made.EntryCount(Table::kCalls, entry);
    }
    return edges;
  }
  const EdgeFacts& facts() const { return facts_; }
  EdgeFacts Check() { return CheckEdges(profile_, Open()); }

 private:
  static std::string Short(const Profile& profile, MethodIndex method) {
    const std::string whole = profile.DescribeMethod(method);
    return whole.substr(0, whole.find('('));
  }
  classpath::ClassPath Open() const {
    std::vector<classpath::TestEntry> entries;
    for (const auto& [name, bytes] : classes_) entries.push_back({name + ".class", bytes, true});
    const std::string jar = folder_ / "app.jar";
    const auto archive = classpath::MakeArchive(entries);
    std::ofstream(jar, std::ios::binary)
        .write(reinterpret_cast<const char*>(archive.data()),
               static_cast<std::streamsize>(archive.size()));
    auto classes = classpath::OpenClassPath(jar, "", 17);
    REQUIRE(classes.ok());
    return std::move(*classes);
  }

  TemporaryFolder folder_;
  std::map<std::string, std::string> classes_;
  Profile profile_;
  EdgeFacts facts_;
};

// p.A has f(), and g(int), which calls f unless its argument is 0, and always h():
// 0 iload_0; 1 ifeq 7; 4 invokestatic f; 7 invokestatic h; 10 return
AssembledClass ClassA() {
  AssembledClass a("p/A");
  const uint16_t f = a.MethodRef("p/A", "f", "()V");
  const uint16_t h = a.MethodRef("p/A", "h", "()V");
  a.Add({.name = "f", .code = instrument::Code({B(Op::return_)})});
  a.Add({.name = "h", .code = instrument::Code({B(Op::return_)})});
  a.Add(
      {.name = "g",
       .descriptor = "(I)V",
       .code = instrument::Code({B(Op::iload_0), B(Op::ifeq), 0, 6, B(Op::invokestatic), f >> 8,
                                 f & 255, B(Op::invokestatic), h >> 8, h & 255, B(Op::return_)})});
  return a;
}

void AddBranch(Program& program, MethodIndex method, int64_t jumped, int64_t fell) {
  const Successor successors[] = {{7, 0, jumped}, {4, 1, fell}};
  Profile& profile = program.profile();
  profile.AddSuccessors(profile.AddContext(kNoContext, method, 1), successors);
}

TEST_CASE("call sites ran as often as their blocks") {
  Program program;
  program.Add("p/A", ClassA());
  program.Calls("p.A", "f", 1000);
  program.Calls("p.A", "h", 900);
  AddBranch(program, program.Calls("p.A", "g", 900, {"int"}), 200, 700);
  CHECK(
      program.Divide() ==
      Edges{{"p.A.f", 300}, {"p.A.f <- p.A.g:4", 700}, {"p.A.g", 900}, {"p.A.h <- p.A.g:7", 900}});
  CHECK(program.facts().figures.calls == 2800);
  CHECK(program.facts().figures.explained == 1600);
  CHECK(program.facts().figures.agree == 900);
  CHECK(program.facts().excess.empty());
}

TEST_CASE("without the branch, nothing behind it is known") {
  Program program;
  program.Add("p/A", ClassA());
  program.Calls("p.A", "f", 700);
  program.Calls("p.A", "h", 900);
  program.Calls("p.A", "g", 900, {"int"});
  CHECK(program.Divide() == Edges{{"p.A.f", 700}, {"p.A.g", 900}, {"p.A.h", 900}});
}

TEST_CASE("threads of samples are no methods of a class") {
  Program program;
  program.Add("p/A", ClassA());
  const MethodIndex f = program.Calls("p.A", "f", 700);
  Profile& profile = program.profile();
  const ContextIndex main = profile.AddContext(kNoContext, AddThread(profile, "main"), 0);
  profile.AddCount(Table::kSamples, profile.AddContext(main, f, 0), 3);
  CHECK(program.Divide() == Edges{{"p.A.f", 700}});
}

TEST_CASE("virtual calls are divided by receivers, whose superclasses need not be in the profile") {
  Program program;
  AssembledClass base("p/Base");
  base.Add({.access = 1, .name = "f", .code = instrument::Code({B(Op::return_)})});
  program.Add("p/Base", base);
  program.Add("p/Middle", AssembledClass("p/Middle", "p/Base"));
  program.Add("p/Low", AssembledClass("p/Low", "p/Middle"));
  AssembledClass left("p/Left", "p/Base");
  left.Add({.access = 1, .name = "f", .code = instrument::Code({B(Op::return_)})});
  program.Add("p/Left", left);
  AssembledClass caller("p/Caller");
  const uint16_t f = caller.MethodRef("p/Base", "f", "()V");
  caller.Add(
      {.name = "run", .descriptor = "(Lp/Base;)V", .code = CallAndReturn(Op::invokevirtual, f)});
  program.Add("p/Caller", caller);
  program.Calls("p.Base", "f", 90);
  program.Calls("p.Left", "f", 10);
  const MethodIndex run = program.Calls("p.Caller", "run", 100, {"p.Base"});
  program.Receivers(run, 1, {{"p.Low", 90}, {"p.Left", 10}});
  CHECK(program.Divide() == Edges{{"p.Base.f <- p.Caller.run:1", 90},
                                  {"p.Left.f <- p.Caller.run:1", 10},
                                  {"p.Caller.run", 100}});
}

TEST_CASE("the bodies of intrinsics say nothing, and neither does other code") {
  Program program;
  AssembledClass a("p/A");
  const uint16_t f = a.MethodRef("p/A", "f", "()V");
  a.Add({.name = "f", .code = instrument::Code({B(Op::return_)})});
  a.Add({.name = "fast", .code = CallAndReturn(Op::invokestatic, f), .intrinsic_candidate = true});
  a.Add({.name = "other", .code = CallAndReturn(Op::invokestatic, f)});
  program.Add("p/A", a);
  program.Calls("p.A", "f", 50);
  program.Calls("p.A", "fast", 30);
  const MethodIndex other = program.Calls("p.A", "other", 20);
  program.profile().SetCodeHash(other, 0x1234567800000000);
  CHECK(program.Divide() == Edges{{"p.A.f", 50}, {"p.A.fast", 30}, {"p.A.other", 20}});
  CHECK(program.facts().methods_with_other_code == 1);
}

TEST_CASE("a class without a file has callers, but no call sites") {
  Program program;
  program.Add("p/A", ClassA());
  program.Calls("p.A", "h", 5);
  AddBranch(program, program.Calls("p.A", "g", 5, {"int"}), 5, 0);
  program.Calls("q.Gone", "run", 9);
  CHECK(program.Divide() == Edges{{"p.A.h <- p.A.g:7", 5}, {"p.A.g", 5}, {"q.Gone.run", 9}});
  CHECK(program.facts().classes_without_file == 1);
}

TEST_CASE("what objects of a class without a file inherit is not known") {
  Program program;
  AssembledClass object("java/lang/Object", "p/None");
  object.Add({.access = 1, .name = "f", .code = instrument::Code({B(Op::return_)})});
  program.Add("java/lang/Object", object);
  AssembledClass caller("p/Caller");
  const uint16_t f = caller.MethodRef("java/lang/Object", "f", "()V");
  caller.Add({.name = "run",
              .descriptor = "(Ljava/lang/Object;)V",
              .code = CallAndReturn(Op::invokevirtual, f)});
  program.Add("p/Caller", caller);
  program.Calls("java.lang.Object", "f", 10);
  program.Calls("q.Own", "f", 30);
  program.Calls("q.Heir", "g", 5);  // it ran the f of its superclass
  const MethodIndex run = program.Calls("p.Caller", "run", 100, {"java.lang.Object"});
  program.Receivers(run, 1, {{"q.Heir", 60}, {"q.Own", 30}, {"p.Caller", 10}});
  CHECK(program.Divide() == Edges{{"java.lang.Object.f <- p.Caller.run:1", 10},
                                  {"q.Own.f <- p.Caller.run:1", 30},
                                  {"q.Heir.g", 5},
                                  {"p.Caller.run", 100}});
  CHECK(program.Check().excess.empty());
}

TEST_CASE(
    "a check names methods with too many calls at their sites, unless their runs explain it") {
  Program program;
  program.Add("p/A", ClassA());
  program.Calls("p.A", "h", 890);
  AddBranch(program, program.Calls("p.A", "g", 900, {"int"}), 900, 0);
  const EdgeFacts found = program.Check();
  CHECK(found.excess == std::vector<std::string>{"p.A.h()void"});
  REQUIRE(found.figures.excess.size() == 1);
  CHECK(found.figures.excess[0].calls == 890);
  CHECK(found.figures.excess[0].at_sites == 900);
  const auto with_k = [&](int k) {
    SetAgentPart(program.profile(), "provenance",
                 R"({"runs":[{"methods":{"exact":1,"within_k":1,"unknown":0,"largest_k":)" +
                     std::to_string(k) + "}}]}");
    return program.Check().excess.size();
  };
  CHECK(with_k(9) == 1);
  CHECK(with_k(10) == 0);
}

TEST_CASE("methods without calls may not have been counted, so they have no excess") {
  Program program;
  program.Add("p/A", ClassA());
  AddBranch(program, program.Calls("p.A", "g", 900, {"int"}), 900, 0);
  program.profile().AddMethod(
      "h", std::vector{program.profile().AddType("p.A"), program.profile().AddType("void")});
  CHECK(program.Check().excess.empty());
  CHECK(program.Divide() == Edges{{"p.A.g", 900}});
  CHECK(program.facts().excess.empty());
}

TEST_CASE("a profile with callers is divided as one without") {
  Program program;
  program.Add("p/A", ClassA());
  const MethodIndex h = program.Calls("p.A", "h", 300);
  const MethodIndex g = program.Calls("p.A", "g", 900, {"int"});
  AddBranch(program, g, 900, 0);
  Profile& profile = program.profile();
  profile.AddCount(Table::kCalls, profile.AddContext(profile.AddContext(kNoContext, g, 7), h, 0),
                   600);
  CHECK(program.Divide() == Edges{{"p.A.h <- p.A.g:7", 900}, {"p.A.g", 900}});
}

}  // namespace
}  // namespace iprof::cli
