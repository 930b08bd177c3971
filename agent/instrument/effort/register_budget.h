// RegisterBudget: how many of C1's virtual registers the probes in a method may use.
//
// Why: C1 gives up on a method that needs more than 10,000 ("out of virtual registers in LIR
// generator"). A probe that uses inherited members or stripes is small in bytes, but C1 inlines the
// methods that it calls. Hundreds of such probes exhaust the registers of a method that compiled
// before. The method would then run in the interpreter until C2 compiles it, or forever if there is
// only C1.
//
// Guarantees: pure functions. The numbers are upper estimates for tier 3, which profiles;
// java-tests/tests/long_methods.py and scripts/proof check that C1 still compiles everything.
// Threads: any. Failure: none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "agent/instrument/probes/probe_emitter.h"

namespace iprof::instrument {

// Registers for one probe.
struct RegisterCosts {
  uint32_t counter;  // for an increment
  uint32_t site;     // for a class-counting site
};

constexpr RegisterCosts RegisterCostsOf(ProbeForm form, bool inherited, bool striped) {
  constexpr uint32_t kIncrement = 7;
  constexpr uint32_t kReach = 7;    // the array of a chunk by its number, and its type check
  constexpr uint32_t kStripe = 36;  // the stripe of the current thread
  constexpr uint32_t kRows = 60;    // a site's first two rows, and the call for other classes
  constexpr uint32_t kCall = 10;    // a call of a method that C1 does not inline
  const bool through_reach = inherited && (form == ProbeForm::kCompact || striped);
  if (form == ProbeForm::kCompact && striped && !inherited) return {kCall, kCall};
  return {kIncrement + (through_reach ? kReach : 0) + (striped ? kStripe : 0),
          form == ProbeForm::kCompact ? kCall : kRows + (inherited ? 2 * kReach : 0)};
}

// The registers that remain besides the method's own code. C1 inlines small methods, so a call may
// use many; whether it does is unknown here. A minimum always remains: otherwise a method with many
// calls that are not inlined would lose all its counts.
constexpr uint32_t RegisterBudget(uint32_t code_bytes, uint32_t inlinable_calls) {
  constexpr uint32_t kLimit = 9500;  // below the real limit of 10,000
  constexpr uint32_t kLeast = 1500;
  constexpr uint32_t kInlinedCall = 20;
  const uint32_t own = code_bytes * 9 / 10 + inlinable_calls * kInlinedCall;
  return kLimit - std::min(kLimit - kLeast, own);
}

}  // namespace iprof::instrument
