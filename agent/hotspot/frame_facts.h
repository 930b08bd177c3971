// FrameFacts: where HotSpot keeps a thread's last Java frame and state, and how its interpreted frames are laid out, as far as
// its tables say.
//
// Why: when the interpreter calls into the VM it notes the stack pointer of its frame but not the
// program counter, and HotSpot fills that in only when somebody is about to walk the stack.
// AsyncGetCallTrace does not, and so refuses every sample taken meanwhile: class loading, linking
// and allocation of a starting program, a tenth of its CPU time. The offsets let the sampler fill
// it in as HotSpot would.
//
// Guarantees: nothing is guessed; what the tables do not say is missing. Pure: any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/hotspot/vm_structs.h"

namespace iprof::hotspot {

// Offsets in a JavaThread.
struct ThreadOffsets {
  uint64_t last_java_sp = 0;
  uint64_t last_java_pc = 0;
  // The thread's state, and its values in these two states.
  struct State {
    uint64_t at = 0;
    int32_t in_java = 0;
    int32_t in_vm = 0;
  };
  std::optional<State> state;
};
std::optional<ThreadOffsets> ReadThreadOffsets(const VmStructs& structs);

// Where an interpreted frame notes its sender's stack pointer, in words from the frame pointer.
std::optional<int32_t> ReadSenderSpWords(const VmStructs& structs);

// 17, 21, 25 …
std::optional<int32_t> ReadMajorVersion(const VmStructs& structs);

}  // namespace iprof::hotspot
