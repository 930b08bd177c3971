// FrameFacts: the offsets of a thread's last Java frame, state and stack, and the layout of interpreted
// frames, from HotSpot's tables.
//
// Why: when the interpreter calls into the VM, it stores its frame's stack pointer in the thread,
// but not the program counter. HotSpot adds the program counter only before it walks the stack.
// AsyncGetCallTrace does not, so it fails for every sample taken in such a call: class loading, linking
// and allocation, a tenth of the CPU time of a starting program. With these offsets the sampler can
// add the program counter as HotSpot would.
//
// Guarantees: nothing is guessed. Failure: what the tables do not contain is nullopt. Threads: any;
// these are pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/hotspot/vm_structs.h"

namespace iprof::hotspot {

// Offsets within a JavaThread.
struct ThreadOffsets {
  uint64_t last_java_sp = 0;
  uint64_t last_java_pc = 0;
  // The offset of the thread's state, and the values of two states.
  struct State {
    uint64_t at = 0;
    int32_t in_java = 0;
    int32_t in_vm = 0;
  };
  std::optional<State> state;
  // Of its stack: the address above it, and its size in bytes.
  struct Stack {
    uint64_t base = 0;
    uint64_t size = 0;
  };
  std::optional<Stack> stack;
};
std::optional<ThreadOffsets> ReadThreadOffsets(const VmStructs& structs);

// Where a method's code is: the pointer in a Method to its ConstMethod, and in that the code's length and its first byte.
struct CodeOffsets {
  uint64_t code_in_method = 0;
  uint64_t size_in_code = 0;
  uint64_t bytes_in_code = 0;
};
std::optional<CodeOffsets> ReadCodeOffsets(const VmStructs& structs);

// Whether an instruction of running code is a call, by its first byte, which the interpreter may have replaced. A
// debugger's breakpoint hides what it is; it may be one.
bool IsRunningCall(uint8_t op);

// The slot where an interpreted frame stores its sender's stack pointer, in words from the frame
// pointer.
std::optional<int32_t> ReadSenderSpWords(const VmStructs& structs);

// The Java version: 17, 21, 25 …
std::optional<int32_t> ReadMajorVersion(const VmStructs& structs);

}  // namespace iprof::hotspot
