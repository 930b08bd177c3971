// Runs inside the sampling signal handler: plain memory only.
#include "agent/sampling/arch/adapter.h"

namespace iprof::sampling {

const Processor* ThisProcessor() noexcept { return &Amd64(); }

MachineContext ReadContext(const ucontext_t& context) noexcept {
  const auto& registers = context.uc_mcontext.gregs;
  const auto get = [&](int number) { return static_cast<uintptr_t>(registers[number]); };
  MachineContext at;
  at.pc = get(REG_RIP);
  at.sp = get(REG_RSP);
  at.fp = get(REG_RBP);
  at.sender_sp = get(REG_R13);
  return at;
}

void WriteContext(const MachineContext& from, ucontext_t* context) noexcept {
  auto& registers = context->uc_mcontext.gregs;
  registers[REG_RIP] = static_cast<greg_t>(from.pc);
  registers[REG_RSP] = static_cast<greg_t>(from.sp);
  registers[REG_RBP] = static_cast<greg_t>(from.fp);
}

}  // namespace iprof::sampling
