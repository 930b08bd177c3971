// MachineContext: the registers of an interrupted thread that frame recovery needs, whatever the processor is called.
//
// Plain data: usable in a signal handler, and made up freely in tests.
#pragma once

#include <cstdint>

namespace iprof::sampling {

struct MachineContext {
  uintptr_t pc = 0;
  uintptr_t sp = 0;
  uintptr_t fp = 0;
  uintptr_t link = 0;  // the return address register, where the processor has one
  // While one interpreted method calls another: where the caller's frame ends. HotSpot passes it in a register; 0 where that
  // is not known. Recovery reads it and never writes it.
  uintptr_t sender_sp = 0;
  // The same, in the register that HotSpot used before JDK 20 (aarch64 only).
  uintptr_t sender_sp_before_20 = 0;
};

}  // namespace iprof::sampling
