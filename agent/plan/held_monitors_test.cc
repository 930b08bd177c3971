#include "agent/plan/held_monitors.h"

#include <catch2/catch.hpp>

#include "agent/classfile/testing/assembled_class.h"

namespace iprof::instrument {
namespace {

using classfile::Op;
using classfile::Reason;

// synchronized (o) { if (i != 0) nop; }, with instructions
// 0 aload_0 / 1 monitorenter / 2 iload_1 / 3 ifeq 5 / 4 nop / 5 aload_0 / 6 monitorexit / 7 return /
// 8 aload_0 / 9 monitorexit / 10 athrow, and a handler at 8 for the given range of bytes
struct Locked {
  classfile::Arena arena;
  std::vector<uint8_t> bytes;
  classfile::ClassFile file;
  classfile::MethodCode code;

  explicit Locked(std::vector<AssembledClass::Handler> handlers) {
    AssembledClass assembled("T");
    assembled.Add(
        {.descriptor = "(Ljava/lang/Object;I)V",
         .code = Code({B(Op::aload_0), B(Op::monitorenter), B(Op::iload_1), B(Op::ifeq), 0, 4,
                       B(Op::nop), B(Op::aload_0), B(Op::monitorexit), B(Op::return_),
                       B(Op::aload_0), B(Op::monitorexit), B(Op::athrow)}),
         .handlers = std::move(handlers)});
    bytes = assembled.Bytes();
    REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
    REQUIRE(code.Decode(file, file.methods()[0], arena) == Reason::kOk);
  }
  bool Refuses(ProbeAt at, uint32_t insn, uint32_t slot = 0) const {
    return HeldMonitors(code).Refuse({.edge = {}, .at = at, .insn = insn, .slot = slot});
  }
};

TEST_CASE("no probe is possible between a protected body and its monitorexit") {
  const Locked scala({{2, 7, 10}});
  CHECK(scala.Refuses(ProbeAt::kBlockHead, 5));
  CHECK(scala.Refuses(ProbeAt::kTaken, 3, classfile::kTaken));
  CHECK(scala.Refuses(ProbeAt::kAfter, 4));
  CHECK(scala.Refuses(ProbeAt::kAfter, 5));
  CHECK(scala.Refuses(ProbeAt::kBefore, 6));
}

TEST_CASE("elsewhere in such a method probes are possible") {
  const Locked scala({{2, 7, 10}});
  CHECK_FALSE(scala.Refuses(ProbeAt::kMethodEntry, 0));
  CHECK_FALSE(scala.Refuses(ProbeAt::kBlockHead, 4));
  CHECK_FALSE(scala.Refuses(ProbeAt::kAfter, 3));
  CHECK_FALSE(scala.Refuses(ProbeAt::kBefore, 7));
  CHECK_FALSE(scala.Refuses(ProbeAt::kHandlerEntry, 8));
}

TEST_CASE("javac protects the monitorexit, so probes are possible before it") {
  const Locked javac({{2, 9, 10}, {10, 12, 10}});
  for (uint32_t insn = 0; insn <= 7; ++insn) CHECK_FALSE(javac.Refuses(ProbeAt::kBlockHead, insn));
  CHECK_FALSE(javac.Refuses(ProbeAt::kTaken, 3, classfile::kTaken));
}

}  // namespace
}  // namespace iprof::instrument
