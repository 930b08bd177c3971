// Runs inside the sampling signal handler: plain memory only.
#include "agent/sampling/arch/machine_context.h"

namespace iprof::sampling {

#if defined(__x86_64__)

MachineContext ReadContext(const ucontext_t& context) noexcept {
  const auto& registers = context.uc_mcontext.gregs;
  return {static_cast<uintptr_t>(registers[REG_RIP]), static_cast<uintptr_t>(registers[REG_RSP]),
          static_cast<uintptr_t>(registers[REG_RBP]), 0,
          static_cast<uintptr_t>(registers[REG_R13])};
}

void WriteContext(const MachineContext& from, ucontext_t* context) noexcept {
  auto& registers = context->uc_mcontext.gregs;
  registers[REG_RIP] = static_cast<greg_t>(from.pc);
  registers[REG_RSP] = static_cast<greg_t>(from.sp);
  registers[REG_RBP] = static_cast<greg_t>(from.fp);
}

#elif defined(__aarch64__)

MachineContext ReadContext(const ucontext_t& context) noexcept {
  const auto& machine = context.uc_mcontext;
  return {machine.pc, machine.sp, machine.regs[29], machine.regs[30], 0};
}

void WriteContext(const MachineContext& from, ucontext_t* context) noexcept {
  auto& machine = context->uc_mcontext;
  machine.pc = from.pc;
  machine.sp = from.sp;
  machine.regs[29] = from.fp;
  machine.regs[30] = from.link;
}

#else

MachineContext ReadContext(const ucontext_t&) noexcept { return {}; }
void WriteContext(const MachineContext&, ucontext_t*) noexcept {}

#endif

}  // namespace iprof::sampling
