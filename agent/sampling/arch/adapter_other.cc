// For unknown processors: no registers, no recovery.
#include "agent/sampling/arch/adapter.h"

namespace iprof::sampling {

const Processor* ThisProcessor() noexcept { return nullptr; }
MachineContext ReadContext(const ucontext_t&) noexcept { return {}; }
void WriteContext(const MachineContext&, ucontext_t*) noexcept {}

}  // namespace iprof::sampling
