// Runs inside the sampling signal handler: plain memory only.
#include "agent/sampling/arch/adapter.h"

namespace iprof::sampling {

const Processor* ThisProcessor() noexcept { return &Aarch64(); }

MachineContext ReadContext(const ucontext_t& context) noexcept {
  const auto& machine = context.uc_mcontext;
  MachineContext at;
  at.pc = machine.pc;
  at.sp = machine.sp;
  at.fp = machine.regs[29];
  at.link = machine.regs[30];
  at.sender_sp = machine.regs[19];
  at.sender_sp_before_20 = machine.regs[13];
  return at;
}

void WriteContext(const MachineContext& from, ucontext_t* context) noexcept {
  auto& machine = context->uc_mcontext;
  machine.pc = from.pc;
  machine.sp = from.sp;
  machine.regs[29] = from.fp;
  machine.regs[30] = from.link;
}

}  // namespace iprof::sampling
