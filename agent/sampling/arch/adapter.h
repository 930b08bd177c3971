// Adapter: between the registers that the kernel shows to a signal handler and MachineContext, for the processor that this
// is built for. CMake compiles exactly one of adapter_*.cc.
//
// Guarantees: async-signal-safe. WriteContext changes what recovery may change, and nothing else.
#pragma once

#include <ucontext.h>

#include "agent/sampling/arch/machine_context.h"
#include "agent/sampling/arch/processor.h"

namespace iprof::sampling {

// Null where nothing is known of this processor: samples are taken and not recovered.
const Processor* ThisProcessor() noexcept;

MachineContext ReadContext(const ucontext_t& context) noexcept;
void WriteContext(const MachineContext& from, ucontext_t* context) noexcept;

}  // namespace iprof::sampling
