// Processor: what differs between processors in sampling: how a caller is found that AsyncGetCallTrace cannot find.
//
// Why: HotSpot describes compiled code only between the end of a method's prologue and the start of
// its epilogue, most stubs not at all, and interpreted frames only when they are built. In
// call-heavy loops most samples land in the gaps. Those gaps are simple: the return address is at a
// place that the instruction under the program counter gives away (see FrameLayout).
//
// Guarantees: async-signal-safe; reads the stack only between the interrupted stack pointer and the
// given end, and code only inside known ranges; changes nothing. A wrong caller is worse than none,
// so a return address is believed only where it says itself that it is one:
//  - it lies in known code and, for compiled callers, right behind a call instruction;
//  - searched for on the stack it is only as the return address of a call to the very code that was
//    left: to this stub, or from generated code to an address outside of it.
// Failing to find one is a normal answer.
//
// Every processor is compiled and tested on every host. Only the adapter knows ucontext_t: adapter.h is implemented by
// one file for each processor, which CMake chooses. To add a processor, write NAME_code (what instructions say), NAME (how
// frames are left) and adapter_NAME.
#pragma once

#include <cstdint>

#include "agent/sampling/arch/code_range.h"
#include "agent/sampling/arch/machine_context.h"

namespace iprof::sampling {

struct PoppedLeaf {
  MachineContext caller;
  // The popped frame was a Java method's: its code, and where it stood. Null for stubs and native code.
  const CodeRange* leaf = nullptr;
  uintptr_t leaf_pc = 0;
};

enum class FrameAt : uint8_t {
  kInterrupted,  // the thread was interrupted here
  kCall,         // the program counter is a return address: an earlier pop ended here
};

// What HotSpot's own tables say about interpreted frames.
struct InterpreterFacts {
  int32_t sender_sp_words =
      -1;                 // where a frame notes its sender's stack pointer, from the frame pointer
  int32_t jdk_major = 0;  // 0: not known, taken for a recent one
};

// What recovery may look at.
struct StackView {
  // The first address above the thread's stack, or as far up as the caller vouches for: reads stay below it.
  uintptr_t end;
  const CodeLookup& code;
  InterpreterFacts interpreter;
};

class Processor {
 public:
  virtual bool PopLeaf(const MachineContext& at, FrameAt where, const StackView& view,
                       PoppedLeaf* popped) const noexcept = 0;

  // The compiled method that called the stub at stub_pc, whose frame starts at stack_pointer.
  virtual bool FindCallerOfStub(uintptr_t stub_pc, uintptr_t stack_pointer, const StackView& view,
                                MachineContext* caller) const noexcept = 0;

  // Where AsyncGetCallTrace must be told that the caller is: it takes the program counter for one
  // that was interrupted and looks up what comes behind it, so that a return address would give the
  // position after the call.
  virtual uintptr_t InsideCall(uintptr_t return_address, const CodeLookup& code) const noexcept = 0;

  // Is this HotSpot's guarded read (SafeFetch)? It is a load that returns at once, followed by the code that returns the
  // caller's default.
  virtual bool IsGuardedRead(const unsigned char* code) const noexcept = 0;

 protected:
  ~Processor() = default;
};

// They have no state and live for ever. Amd64 is x86-64: names here have no underscores.
const Processor& Amd64();
const Processor& Aarch64();

}  // namespace iprof::sampling
