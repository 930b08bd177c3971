#include "agent/instrument/probes/watched_code.h"

#include <catch2/catch.hpp>
#include <string>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/probes/inherited_members.h"

namespace iprof::instrument {
namespace {

using classfile::ClassFile;
using classfile::Insn;
using classfile::MethodCode;
using classfile::Op;
using classfile::Reason;

// The first method of a class, ready to be watched.
struct Watching {
  explicit Watching(std::vector<uint8_t> class_file) : bytes(std::move(class_file)) {
    REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
    rewriter.emplace(file, memory, classfile::RewriteOptions{});
    REQUIRE(rewriter->Open(0, &code) == Reason::kOk);
    REQUIRE(uninitialized.Compute(code, memory.method_memory) == Reason::kOk);
  }
  bool CanWatch(uint32_t bci, bool is_call = false) const {
    return CanBeWatched(code, code.IndexAt(bci), is_call, uninitialized);
  }
  // The calls before the method's instructions: "java/lang/IprofContexts.number(II)V 7".
  std::string WithProbe(uint32_t bci, bool inherited = false) {
    classfile::MethodEditor editor = rewriter->Edit(code);
    EmitWatch(code.IndexAt(bci), 7, inherited, editor);
    REQUIRE(rewriter->Apply(editor) == Reason::kOk);
    const classfile::ByteSpan result = rewriter->Finish();
    classfile::Arena arena;
    ClassFile after;
    REQUIRE(after.Parse(result, arena) == Reason::kOk);
    MethodCode changed;
    REQUIRE(changed.Decode(after, after.methods()[0], arena) == Reason::kOk);
    std::string calls;
    for (Insn i = 1; i < changed.count(); ++i) {
      if (changed.at(i).op != Op::invokestatic) continue;
      const auto member = changed.Member(i);
      calls += std::string(after.pool().ClassName(member->owner)) + "." +
               std::string(member->name) + std::string(member->descriptor) + " " +
               std::to_string(changed.Immediate(i - 1));
    }
    return calls;
  }

  std::vector<uint8_t> bytes;
  classfile::Workspace memory;
  ClassFile file;
  std::optional<classfile::ClassRewriter> rewriter;
  MethodCode code;
  classfile::UninitializedObjects uninitialized;
};

// Loads, then a branch of so many operands over a nop.
std::vector<uint8_t> BranchWith(Op op, std::vector<Op> loads) {
  std::vector<int> code;
  for (const Op load : loads) code.push_back(B(load));
  for (const int byte : {B(op), 0, 4, B(Op::nop), B(Op::return_)}) code.push_back(byte);
  std::vector<uint8_t> bytes;
  for (const int byte : code) bytes.push_back(static_cast<uint8_t>(byte));
  return AssembledClass("a/T", "java/lang/Object", 0x0021, 49)
      .Add({.descriptor = "(ILjava/lang/Object;)V", .code = bytes})
      .Bytes();
}

TEST_CASE("a branch is watched with its operands") {
  CHECK(Watching(BranchWith(Op::ifeq, {Op::iload_0})).WithProbe(1) ==
        "java/lang/IprofContexts.number(II)V 7");
  CHECK(Watching(BranchWith(Op::if_icmplt, {Op::iload_0, Op::iconst_1})).WithProbe(2) ==
        "java/lang/IprofContexts.numbers(III)V 7");
  CHECK(Watching(BranchWith(Op::ifnull, {Op::aload_1})).WithProbe(1) ==
        "java/lang/IprofContexts.object(Ljava/lang/Object;I)V 7");
  CHECK(Watching(BranchWith(Op::if_acmpne, {Op::aload_1, Op::aload_1})).WithProbe(2) ==
        "java/lang/IprofContexts.objects(Ljava/lang/Object;Ljava/lang/Object;I)V 7");
  CHECK(Watching(BranchWith(Op::ifeq, {Op::iload_0})).WithProbe(1, true) ==
        "a/T." + kInheritedNumber.Name() + "(II)V 7");
}

TEST_CASE("only branches, switches and calls with a receiver are watched") {
  const Watching branch(BranchWith(Op::ifeq, {Op::iload_0}));
  CHECK(branch.CanWatch(1));
  CHECK_FALSE(branch.CanWatch(1, /*is_call=*/true));
  CHECK_FALSE(branch.CanWatch(0));
  CHECK_FALSE(branch.CanWatch(4));
}

TEST_CASE("branches go where their operands send them") {
  const auto taken = [](Op op, int32_t first, int32_t second = 0) {
    return WayOf({.op = op, .taken = 20, .next = 10}, {.first = first, .second = second}) == 20;
  };
  CHECK((taken(Op::ifeq, 0) && !taken(Op::ifeq, 1)));
  CHECK((taken(Op::ifne, 1) && !taken(Op::ifne, 0)));
  CHECK((taken(Op::iflt, -1) && !taken(Op::iflt, 0)));
  CHECK((taken(Op::ifge, 0) && !taken(Op::ifge, -1)));
  CHECK((taken(Op::ifgt, 1) && !taken(Op::ifgt, 0)));
  CHECK((taken(Op::ifle, 0) && !taken(Op::ifle, 1)));
  CHECK((taken(Op::if_icmpeq, 5, 5) && !taken(Op::if_icmpeq, 5, 6)));
  CHECK((taken(Op::if_icmpne, 5, 6) && !taken(Op::if_icmpne, 5, 5)));
  CHECK((taken(Op::if_icmplt, INT32_MIN, INT32_MAX) && !taken(Op::if_icmplt, 1, 1)));
  CHECK((taken(Op::if_icmpge, 1, 1) && !taken(Op::if_icmpge, 0, 1)));
  CHECK((taken(Op::if_icmpgt, 2, 1) && !taken(Op::if_icmpgt, 1, 1)));
  CHECK((taken(Op::if_icmple, 1, 1) && !taken(Op::if_icmple, 2, 1)));
  for (const bool same : {false, true}) {
    const auto way = [&](Op op) {
      return WayOf({.op = op, .taken = 20, .next = 10}, {.are_same = same}) == 20;
    };
    CHECK(way(Op::ifnull) == same);
    CHECK(way(Op::ifnonnull) == !same);
    CHECK(way(Op::if_acmpeq) == same);
    CHECK(way(Op::if_acmpne) == !same);
  }
}

TEST_CASE("a switch goes to its key's target or to the default") {
  const WatchedCode code{.op = Op::lookupswitch, .taken = 9, .cases = {{-3, 20}, {7, 30}}};
  CHECK(WayOf(code, {.first = -3}) == 20);
  CHECK(WayOf(code, {.first = 7}) == 30);
  CHECK(WayOf(code, {.first = 0}) == 9);
  CHECK(WayOf(code, {.first = 8}) == 9);
}

}  // namespace
}  // namespace iprof::instrument
