#include "agent/vm/events/park_calls.h"

#include <catch2/catch.hpp>
#include <string>

#include "agent/classfile/code.h"
#include "agent/classfile/testing/assembled_class.h"

namespace iprof::vm {
namespace {

using classfile::ClassFile;
using classfile::Insn;
using classfile::MethodCode;
using classfile::Op;
using classfile::Reason;
using instrument::AssembledClass;
using instrument::B;
using instrument::Code;

// All calls with their positions, a line each.
std::string Calls(const std::vector<uint8_t>& bytes) {
  classfile::Arena arena;
  ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
  std::string calls;
  for (const classfile::MemberInfo& method : file.methods()) {
    MethodCode code;
    REQUIRE(code.Decode(file, method, arena) == Reason::kOk);
    for (Insn i = 0; i < code.count(); ++i) {
      const Op op = code.at(i).op;
      if (op != Op::invokestatic && op != Op::invokevirtual && op != Op::invokeinterface) continue;
      const auto member = code.Member(i);
      calls += std::to_string(Value(code.BciOf(i))) + (op == Op::invokestatic ? " static " : " ") +
               std::string(file.pool().ClassName(member->owner)) + "." + std::string(member->name) +
               std::string(member->descriptor) + "\n";
    }
  }
  return calls;
}

TEST_CASE("calls that park a thread are others of the same operands, at the same places") {
  AssembledClass type(kLockSupport);
  const int unsafe = type.MethodRef("jdk/internal/misc/Unsafe", "park", "(ZJ)V");
  const int unpark = type.MethodRef("jdk/internal/misc/Unsafe", "unpark", "(Ljava/lang/Object;)V");
  const int forever = type.MethodRef("jdk/internal/misc/VirtualThreads", "park", "()V");
  const int timed = type.MethodRef("jdk/internal/misc/VirtualThreads", "park", "(J)V");
  type.Add({.name = "park",
            .descriptor = "(Ljava/lang/Object;)V",
            .code = Code({B(Op::aload_0), B(Op::iconst_0), B(Op::lconst_0), B(Op::invokevirtual), 0,
                          unsafe, B(Op::aload_0), B(Op::aload_0), B(Op::invokevirtual), 0, unpark,
                          B(Op::invokestatic), 0, forever, B(Op::lconst_1), B(Op::invokestatic), 0,
                          timed, B(Op::return_)})});
  const std::vector<uint8_t> before = type.Bytes();
  REQUIRE(Calls(before) ==
          "3 jdk/internal/misc/Unsafe.park(ZJ)V\n"
          "8 jdk/internal/misc/Unsafe.unpark(Ljava/lang/Object;)V\n"
          "11 static jdk/internal/misc/VirtualThreads.park()V\n"
          "15 static jdk/internal/misc/VirtualThreads.park(J)V\n");
  CHECK(Calls(WithTimedParks(before)) ==
        "3 static java/lang/IprofLocks.park(Ljdk/internal/misc/Unsafe;ZJ)V\n"
        "8 jdk/internal/misc/Unsafe.unpark(Ljava/lang/Object;)V\n"
        "11 static java/lang/IprofLocks.park()V\n"
        "15 static java/lang/IprofLocks.park(J)V\n");
}

TEST_CASE("a longer call is filled up, and what follows stays where it is") {
  AssembledClass type(kLockSupport);
  // The reader of instructions does not look at the constant's kind.
  const int access =
      type.MethodRef("jdk/internal/access/JavaLangAccess", "parkVirtualThread", "()V");
  const int other = type.MethodRef("a/B", "c", "()V");
  type.Add({.descriptor = "(Ljava/lang/Object;)V",
            .code = Code({B(Op::aload_0), B(Op::invokeinterface), 0, access, 1, 0,
                          B(Op::invokestatic), 0, other, B(Op::return_)})});
  const std::vector<uint8_t> after = WithTimedParks(type.Bytes());
  CHECK(Calls(after) ==
        "1 static java/lang/IprofLocks.park(Ljdk/internal/access/JavaLangAccess;)V\n"
        "6 static a/B.c()V\n");
}

TEST_CASE("a class without such calls, and what is no class, is left alone") {
  AssembledClass type("a/B");
  type.Add({.code = Code({B(Op::return_)})});
  CHECK(WithTimedParks(type.Bytes()).empty());
  std::vector<uint8_t> damaged = type.Bytes();
  damaged.pop_back();
  CHECK(WithTimedParks(damaged).empty());
  CHECK(WithTimedParks({}).empty());
}

}  // namespace
}  // namespace iprof::vm
