// MachineContext: the registers of an interrupted thread that frame recovery needs, under names
// that do not depend on the processor.
//
// Guarantees: plain data, usable in a signal handler. Tests can use any values. Threads: any.
// Failure: none.
#pragma once

#include <cstdint>

namespace iprof::sampling {

struct MachineContext {
  uintptr_t pc = 0;
  uintptr_t sp = 0;
  uintptr_t fp = 0;
  uintptr_t link = 0;  // the return address register, if the processor has one
  // While one interpreted method calls another: the end of the caller's frame, which HotSpot passes
  // in a register. 0 if unknown. Recovery reads it and never writes it.
  uintptr_t sender_sp = 0;
  // The same, in the register that HotSpot used before JDK 20 (aarch64 only).
  uintptr_t sender_sp_before_20 = 0;
};

}  // namespace iprof::sampling
