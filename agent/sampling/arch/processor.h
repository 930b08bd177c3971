// Processor: the processor-specific part of sampling: finding a caller that AsyncGetCallTrace
// cannot find.
//
// Why: HotSpot describes compiled code only between the end of a method's prologue and the start of
// its epilogue, interpreted frames only when they are complete, and most stubs not at all. In
// call-heavy loops most samples fall into these gaps. They are easy to handle: the instruction at
// the program counter decides where the return address is (see FrameLayout).
//
// Guarantees: reads the stack only between the interrupted stack pointer and the given end, and
// code only inside known ranges; changes nothing. A wrong caller is worse than none, so a return
// address is accepted only if it proves itself:
// - it is in known code and, for compiled callers, right after a call instruction;
// - if it was found by searching the stack, it must be the return address of a call to the code
//   that was left: to this stub, or from generated code to an address outside of it.
// Threads: any; async-signal-safe. Failure: returns false; finding no caller is a normal result.
//
// Every processor is compiled and tested on every host. Only the adapter knows ucontext_t: each
// processor has one file that implements adapter.h, and CMake chooses it. To add a processor, write
// NAME_code (what instructions say), NAME (how frames are popped) and adapter_NAME.
#pragma once

#include <cstdint>

#include "agent/sampling/arch/code_range.h"
#include "agent/sampling/arch/machine_context.h"

namespace iprof::sampling {

struct PoppedLeaf {
  MachineContext caller;
  // If the popped frame was a Java method's: its code, and the program counter in it. Null for
  // stubs and native code.
  const CodeRange* leaf = nullptr;
  uintptr_t leaf_pc = 0;
};

enum class FrameAt : uint8_t {
  kInterrupted,  // the thread was interrupted here
  kCall,         // the program counter is a return address that an earlier pop found
};

// What HotSpot's tables say about interpreted frames.
struct InterpreterFacts {
  // Where a frame stores its sender's stack pointer, in words from the frame pointer; -1: unknown.
  int32_t sender_sp_words = -1;
  int32_t jdk_major = 0;  // 0: unknown, treated as a recent one
};

// What recovery may read.
struct StackView {
  // The end of the thread's stack, or of the part that the caller knows to be readable: reads stay
  // below it.
  uintptr_t end;
  const CodeLookup& code;
  InterpreterFacts interpreter;
};

class Processor {
 public:
  virtual bool PopLeaf(const MachineContext& at, FrameAt where, const StackView& view,
                       PoppedLeaf* popped) const noexcept = 0;

  // Finds the compiled method that called the stub at stub_pc. The stub's frame starts at
  // stack_pointer.
  virtual bool FindCallerOfStub(uintptr_t stub_pc, uintptr_t stack_pointer, const StackView& view,
                                MachineContext* caller) const noexcept = 0;

  // The program counter to give to AsyncGetCallTrace for a caller. AsyncGetCallTrace treats it as
  // an interrupted one and looks up the code after it, so a return address would give the position
  // after the call.
  virtual uintptr_t InsideCall(uintptr_t return_address, const CodeLookup& code) const noexcept = 0;

  // Whether this is HotSpot's guarded read (SafeFetch): a load that returns at once, followed by
  // the code that returns the caller's default.
  virtual bool IsGuardedRead(const unsigned char* code) const noexcept = 0;

 protected:
  ~Processor() = default;
};

// They have no state and are never destroyed. Amd64 is x86-64; it has this name because names here
// have no underscores.
const Processor& Amd64();
const Processor& Aarch64();

}  // namespace iprof::sampling
