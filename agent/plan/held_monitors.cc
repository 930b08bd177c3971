#include "agent/plan/held_monitors.h"

#include <algorithm>

namespace iprof::instrument {
namespace {

using classfile::Insn;
using classfile::MethodCode;
using classfile::Op;

// By instruction: whether a handler for exceptions of any class protects it.
std::vector<bool> Protected(const MethodCode& code) {
  std::vector<bool> is_protected(code.count());
  for (const classfile::ExceptionEntry& e : code.exceptions()) {
    if (e.catch_type != classfile::CpIndex::none) continue;
    std::fill(is_protected.begin() + e.from, is_protected.begin() + e.to, true);
  }
  return is_protected;
}

}  // namespace

HeldMonitors::HeldMonitors(const MethodCode& code) : code_(code) {
  if (!code.has_monitorenter()) return;
  const std::vector<bool> is_protected = Protected(code);
  for (Insn exit = 0; exit < code.count(); ++exit) {
    if (code.at(exit).op != Op::monitorexit || is_protected[exit]) continue;
    exposed_.resize(code.count());
    for (Insn i = exit; !is_protected[i]; --i) {
      exposed_[i] = true;
      if (!code.CanFallInto(i)) break;
    }
  }
}

bool HeldMonitors::Refuse(const Probe& probe) const {
  switch (probe.at) {
    case ProbeAt::kMethodEntry:
    case ProbeAt::kHandlerEntry:
      return false;
    case ProbeAt::kBlockHead:
    case ProbeAt::kBefore:
    case ProbeAt::kByKey:
      return IsExposed(probe.insn);
    case ProbeAt::kAfter:
      return IsExposed(probe.insn + 1);
    case ProbeAt::kTaken:
    case ProbeAt::kSlot:
      return IsExposed(code_.Successor(probe.insn, probe.slot));
  }
  return false;
}

bool HeldMonitors::RefuseAny(const ProbePlan& plan) const {
  return !exposed_.empty() && std::any_of(plan.probes.begin(), plan.probes.end(),
                                          [this](const Probe& probe) { return Refuse(probe); });
}

}  // namespace iprof::instrument
