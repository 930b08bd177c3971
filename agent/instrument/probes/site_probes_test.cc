// Which places of a method are sites, and what is inserted there.
#include "agent/instrument/probes/site_probes.h"

#include <catch2/catch.hpp>
#include <string>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/probes/inherited_members.h"

namespace iprof::instrument {
namespace {

using classfile::ClassFile;
using classfile::MethodCode;
using classfile::Op;
using classfile::Reason;

constexpr SiteKinds kAll{.receivers = true, .monitors = true, .instance_ofs = true};

// "receiver@3 monitor@7 check@9 entry": the sites of the class's last method.
std::string SitesOf(AssembledClass& assembled, const SiteKinds& kinds = kAll) {
  const std::vector<uint8_t> bytes = assembled.Bytes();
  classfile::Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  MethodCode code;
  REQUIRE(code.Decode(file, file.methods().back(), memory.method_memory) == Reason::kOk);
  std::vector<FoundSite> found;
  FindSites(code, kinds, memory.method_memory, &found);
  std::string text;
  for (const FoundSite& site : found) {
    if (!text.empty()) text += ' ';
    if (site.insn == FoundSite::kEntry) {
      text += "entry";
      continue;
    }
    text += site.kind == SiteKind::kReceiver  ? "receiver@"
            : site.kind == SiteKind::kMonitor ? "monitor@"
                                              : "check@";
    text += std::to_string(code.OffsetOf(site.insn));
  }
  return text;
}

// A method that calls owner.name() on its argument.
std::string CallOf(Op op, std::string_view owner, std::string_view name, uint16_t callee_access = 0,
                   uint16_t class_access = 0x0021) {
  AssembledClass c("a/Caller", "java/lang/Object", class_access);
  if (callee_access != 0)
    c.Add({.access = callee_access, .name = std::string(name), .code = Code({B(Op::return_)})});
  const int ref = c.MethodRef(owner, name, "()V");
  c.Add({.name = "caller",
         .descriptor = "(Ljava/lang/Object;)V",
         .code = Code({B(Op::aload_0), B(op), ref >> 8, ref & 255, B(Op::return_)})});
  return SitesOf(c);
}

TEST_CASE("Virtual calls are sites", "[site_probes]") {
  CHECK(CallOf(Op::invokevirtual, "b/Other", "run") == "receiver@1");
  CHECK(CallOf(Op::invokespecial, "b/Other", "run").empty());
}

TEST_CASE("Private and final methods of the same class have one target", "[site_probes]") {
  CHECK(CallOf(Op::invokevirtual, "a/Caller", "run", 0x0001) == "receiver@1");
  CHECK(CallOf(Op::invokevirtual, "a/Caller", "run", 0x0002).empty());
  CHECK(CallOf(Op::invokevirtual, "a/Caller", "run", 0x0011).empty());
  CHECK(CallOf(Op::invokevirtual, "a/Caller", "run", 0x0001, 0x0031).empty());
  // Not declared here: inherited, and perhaps overridden elsewhere.
  CHECK(CallOf(Op::invokevirtual, "a/Caller", "inherited") == "receiver@1");
}

TEST_CASE("Methods of the JDK's final classes have one target", "[site_probes]") {
  CHECK(CallOf(Op::invokevirtual, "java/lang/StringBuilder", "run").empty());
  CHECK(CallOf(Op::invokevirtual, "java/lang/Object", "notify").empty());
  CHECK(CallOf(Op::invokevirtual, "b/Other", "notifyAll").empty());
  CHECK(CallOf(Op::invokevirtual, "java/lang/Object", "finalize") == "receiver@1");
}

TEST_CASE("Signature-polymorphic calls are no sites", "[site_probes]") {
  CHECK(CallOf(Op::invokevirtual, "java/lang/invoke/MethodHandle", "invokeExact").empty());
  CHECK(CallOf(Op::invokevirtual, "java/lang/invoke/MethodHandle", "type") == "receiver@1");
  CHECK(CallOf(Op::invokevirtual, "java/lang/invoke/VarHandle", "getAndAdd").empty());
}

TEST_CASE("Monitors: blocks, and the entry of synchronized instance methods", "[site_probes]") {
  const auto block = Code({B(Op::aload_0), B(Op::dup), B(Op::astore_1), B(Op::monitorenter),
                           B(Op::aload_1), B(Op::monitorexit), B(Op::return_)});
  AssembledClass c("a/Locks");
  c.Add({.name = "block", .descriptor = "(Ljava/lang/Object;)V", .code = block});
  CHECK(SitesOf(c) == "monitor@3");
  c.Add({.access = 0x0021, .name = "both", .descriptor = "(Ljava/lang/Object;)V", .code = block});
  CHECK(SitesOf(c) == "entry monitor@3");
  c.Add({.access = 0x0029, .name = "of_class", .code = Code({B(Op::return_)})});
  CHECK(SitesOf(c).empty());
}

TEST_CASE("The flags of a class initializer lock nothing", "[site_probes]") {
  for (const uint16_t access : {uint16_t{0x0020}, uint16_t{0x0028}}) {
    AssembledClass c("a/Initialized");
    c.Add({.access = access, .name = "<clinit>", .code = Code({B(Op::return_)})});
    CHECK(SitesOf(c).empty());
  }
}

TEST_CASE("A monitor that may not be an object yet is no site", "[site_probes]") {
  const auto sites = [](std::initializer_list<int> between) {
    AssembledClass c("a/Odd", "java/lang/Object", 0x0021, 61);
    const int type = c.Class("a/Odd");
    const int init = c.MethodRef("a/Odd", "<init>", "()V");
    std::vector<uint8_t> code = Code({B(Op::new_), type >> 8, type & 255});
    for (const int byte : between) code.push_back(static_cast<uint8_t>(byte));
    const std::vector<uint8_t> rest =
        Code({B(Op::dup), B(Op::monitorenter), B(Op::dup), B(Op::monitorexit), B(Op::invokespecial),
              init >> 8, init & 255, B(Op::aload_1), B(Op::monitorenter), B(Op::return_)});
    code.insert(code.end(), rest.begin(), rest.end());
    c.Add({.name = "odd", .descriptor = "(ILjava/lang/Object;)V", .code = code});
    return SitesOf(c);
  };
  CHECK(sites({}) == "monitor@11");
  CHECK(sites({B(Op::nop)}) == "monitor@12");
  CHECK(sites({B(Op::iconst_0), B(Op::pop)}) == "monitor@13");
  CHECK(sites({B(Op::astore_0), B(Op::nop), B(Op::aload_0)}) == "monitor@14");
}

TEST_CASE("A monitor on a new object, once it is made, is a site", "[site_probes]") {
  AssembledClass c("a/New", "java/lang/Object", 0x0021, 61);
  const int type = c.Class("a/New");
  const int init = c.MethodRef("a/New", "<init>", "()V");
  c.Add({.name = "make",
         .code =
             Code({B(Op::new_), type >> 8, type & 255, B(Op::dup), B(Op::invokespecial), init >> 8,
                   init & 255, B(Op::dup), B(Op::astore_0), B(Op::monitorenter), B(Op::return_)})});
  CHECK(SitesOf(c) == "monitor@9");
}

TEST_CASE("In a constructor, monitors are sites from super() on", "[site_probes]") {
  AssembledClass c("a/Made", "java/lang/Object", 0x0021, 61);
  const int init = c.MethodRef("java/lang/Object", "<init>", "()V");
  c.Add(
      {.access = 0x0001,
       .name = "<init>",
       .descriptor = "(Ljava/lang/Object;)V",
       .code = Code({B(Op::aload_1), B(Op::monitorenter), B(Op::aload_0), B(Op::invokespecial),
                     init >> 8, init & 255, B(Op::aload_0), B(Op::monitorenter), B(Op::return_)})});
  CHECK(SitesOf(c) == "monitor@7");
}

TEST_CASE("Type checks only where asked for", "[site_probes]") {
  AssembledClass c("a/Checks");
  const int type = c.Class("b/T");
  c.Add({.name = "check",
         .descriptor = "(Ljava/lang/Object;)V",
         .code = Code({B(Op::aload_0), B(Op::checkcast), type >> 8, type & 255, B(Op:: instanceof),
                       type >> 8, type & 255, B(Op::pop), B(Op::return_)})});
  CHECK(SitesOf(c) == "check@1 check@4");
  CHECK(SitesOf(c, {.receivers = true, .monitors = true, .instance_ofs = false}).empty());
}

// The emitted sites of the class's only method: "java/lang/H.hit(Ljava/lang/Object;I)V 40 41 42",
// with the numbers pushed before each call.
std::string Emitted(const std::vector<uint8_t>& bytes, const SiteHolder& holder,
                    ProbeForm form = ProbeForm::kInline) {
  classfile::Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  classfile::ClassRewriter rewriter(file, memory);
  MethodCode code;
  REQUIRE(rewriter.Open(0, &code) == Reason::kOk);
  std::vector<FoundSite> found;
  FindSites(code, kAll, memory.method_memory, &found);
  REQUIRE(found.size() == 3);
  classfile::MethodEditor editor = rewriter.Edit(code);
  EmitSiteProbes(found, holder, form, 40, editor);
  REQUIRE(rewriter.Apply(editor) == Reason::kOk);
  const classfile::ByteSpan result = rewriter.Finish();

  classfile::Workspace memory_after;
  ClassFile after;
  REQUIRE(after.Parse(result, memory_after.class_memory) == Reason::kOk);
  MethodCode rewritten;
  REQUIRE(rewritten.Decode(after, after.methods()[0], memory_after.method_memory) == Reason::kOk);
  std::string called;
  std::string numbers;
  for (classfile::Insn i = 2; i < rewritten.count(); ++i) {
    if (rewritten.at(i).op != Op::invokestatic) continue;
    const auto member = rewritten.Member(i);
    REQUIRE(member.has_value());
    const std::string name = std::string(after.pool().ClassName(member->owner)) + "." +
                             std::string(member->name) + std::string(member->descriptor);
    CHECK((called.empty() || called == name));
    called = name;
    REQUIRE(rewritten.at(i - 1).op == Op::sipush);
    numbers += " ";
    if (rewritten.at(i - 2).op == Op::iconst_5) numbers += "5/";
    numbers += std::to_string(rewritten.Immediate(i - 1));
  }
  return called + numbers;
}

TEST_CASE("Every site gets its number, and the class stays well-formed", "[site_probes]") {
  AssembledClass c("a/Emits");
  const int call = c.MethodRef("b/Other", "run", "(JI)V");
  const int type = c.Class("b/Other");
  c.Add({.access = 0x0021,
         .name = "all",
         .descriptor = "(Lb/Other;)V",
         .code = Code({B(Op::aload_1), B(Op::lconst_1), B(Op::iconst_2), B(Op::invokevirtual),
                       call >> 8, call & 255, B(Op::aload_1), B(Op:: instanceof), type >> 8,
                       type & 255, B(Op::pop), B(Op::return_)})});
  const std::vector<uint8_t> bytes = c.Bytes();
  CHECK(Emitted(bytes, {"java/lang/H"}) == "java/lang/H.hit(Ljava/lang/Object;I)V 40 41 42");
  CHECK(Emitted(bytes, {"", 5}) ==
        "a/Emits." + kInheritedHit.Name() + "(Ljava/lang/Object;II)V 5/40 5/41 5/42");
  CHECK(Emitted(bytes, {"java/lang/H"}, ProbeForm::kCompact) ==
        "java/lang/H.meet(Ljava/lang/Object;I)V 40 41 42");
  CHECK(Emitted(bytes, {"", 5}, ProbeForm::kCompact) ==
        "a/Emits." + kInheritedMeet.Name() + "(Ljava/lang/Object;II)V 5/40 5/41 5/42");
}

}  // namespace
}  // namespace iprof::instrument
