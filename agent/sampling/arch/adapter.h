// Adapter: converts between the registers that the kernel gives to a signal handler and
// MachineContext, for the processor that this is built for. CMake compiles exactly one of
// adapter_*.cc.
//
// Guarantees: WriteContext changes only what recovery may change.
// Threads: any; async-signal-safe. Failure: none.
#pragma once

#include <ucontext.h>

#include "agent/sampling/arch/machine_context.h"
#include "agent/sampling/arch/processor.h"

namespace iprof::sampling {

// Null for an unknown processor: samples are then taken but not recovered.
const Processor* ThisProcessor() noexcept;

MachineContext ReadContext(const ucontext_t& context) noexcept;
void WriteContext(const MachineContext& from, ucontext_t* context) noexcept;

}  // namespace iprof::sampling
