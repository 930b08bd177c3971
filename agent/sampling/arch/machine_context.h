// MachineContext: the few registers of an interrupted thread that stack walking needs; the seam
// between processors.
//
// Guarantees: every function is async-signal-safe. Adding a processor means adding its case to
// machine_context.cc and its entry and return instructions to frame_recovery.cc; without them
// kCanReadContext is false and samples are taken, but not recovered.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace iprof::sampling {

#if defined(__x86_64__) || defined(__aarch64__)
inline constexpr bool kCanReadContext = true;
#else
inline constexpr bool kCanReadContext = false;
#endif

struct MachineContext {
  uintptr_t pc = 0;
  uintptr_t sp = 0;
  uintptr_t fp = 0;
  uintptr_t link = 0;  // the return address register, where the processor has one
  // Where the caller's frame ends, while one interpreted method is called: the register in which
  // HotSpot hands it over; 0 where that is not known. Read, never written.
  uintptr_t sender_sp = 0;
};

MachineContext ReadContext(const ucontext_t& context) noexcept;
void WriteContext(const MachineContext& from, ucontext_t* context) noexcept;

}  // namespace iprof::sampling
