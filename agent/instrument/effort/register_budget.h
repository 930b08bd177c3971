// RegisterBudget: how many of C1's virtual registers probes may take in a method.
//
// Why: C1 gives up on a method that needs more than 10,000 ("out of virtual registers in LIR
// generator"). A probe that is reached through inherited members or stripes is small in bytes, but C1
// inlines what it calls: hundreds of them exhaust the registers of a method that compiled before. The
// method would then run in the interpreter until C2 compiles it, and for ever where there is only C1.
//
// The numbers are upper estimates for tier 3, which profiles: java-tests/tests/long_methods.py and
// scripts/proof look whether C1 still compiles everything. Pure functions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "agent/instrument/probes/probe_emitter.h"

namespace iprof::instrument {

// Of one probe.
struct RegisterCosts {
  uint32_t counter;  // an increment
  uint32_t site;     // of a class-counting site
};

constexpr RegisterCosts RegisterCostsOf(ProbeForm form, bool inherited, bool striped) {
  constexpr uint32_t kIncrement = 7;
  constexpr uint32_t kReach = 7;    // the array of a chunk by its number, and its type check
  constexpr uint32_t kStripe = 36;  // the stripe of the current thread
  constexpr uint32_t kRows = 60;    // a site's first two rows, and the call for others
  constexpr uint32_t kCall = 10;    // of a method that C1 does not inline
  const bool through_reach = inherited && (form == ProbeForm::kCompact || striped);
  if (form == ProbeForm::kCompact && striped && !inherited) return {kCall, kCall};
  return {kIncrement + (through_reach ? kReach : 0) + (striped ? kStripe : 0),
          form == ProbeForm::kCompact ? kCall : kRows + (inherited ? 2 * kReach : 0)};
}

// What is left of the registers beside the method's own code. C1 inlines small methods, so a call may
// take many; whether it does is unknown here. Some are always left: without any, a method with many
// calls that are not inlined would lose all its counts.
constexpr uint32_t RegisterBudget(uint32_t code_bytes, uint32_t inlinable_calls) {
  constexpr uint32_t kLimit = 9500;  // of 10,000
  constexpr uint32_t kLeast = 1500;
  constexpr uint32_t kInlinedCall = 20;
  const uint32_t own = code_bytes * 9 / 10 + inlinable_calls * kInlinedCall;
  return kLimit - std::min(kLimit - kLeast, own);
}

}  // namespace iprof::instrument
