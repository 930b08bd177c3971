// RegisterBudget: how many of C1's virtual registers the probes in a method may use.
//
// Why: C1 gives up on a method that needs more than 10,000 ("out of virtual registers in linear
// scan", "... in LIR generator"). Hundreds of probes whose code C1 inlines exhaust the registers of
// a method that compiled before. The method would then run in the interpreter until C2 compiles it,
// or forever if there is only C1.
//
// A method's registers include those of all methods that C1 inlines into it, and these have probes,
// too. The budget cannot know them. So probes in methods that C1 may inline must be cheap: they
// increment inline, or call a method that C1 does not inline (MethodPlanner::C1MayInline,
// runtime/java/lang/IprofStriped0.java).
//
// Guarantees: pure functions. The numbers are upper estimates for tier 3, which profiles;
// java-tests/tests/compilation.py and scripts/proof check that C1 still compiles everything.
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

// Measured on JDK 17 at tier 3: an increment 2.1, a compact one 6.4, an inherited compact one 14.9; a
// site 44.8; a call that C1 does not inline 2.2, through an inherited method that C1 inlines 6.5.
constexpr RegisterCosts RegisterCostsOf(ProbeForm form, bool inherited, bool striped) {
  constexpr uint32_t kIncrement = 4;
  constexpr uint32_t kCompactIncrement = 7;
  constexpr uint32_t kReach = 8;    // the array of a chunk by its number, and its type check
  constexpr uint32_t kRows = 60;    // a site's first two rows, and the call for other classes
  constexpr uint32_t kCall = 10;    // a call that C1 does not inline, and values that it must save
  constexpr uint32_t kForward = 4;  // an inherited method around that call
  const bool compact = form == ProbeForm::kCompact;
  const uint32_t increment = compact ? kCompactIncrement + (inherited ? kReach : 0) : kIncrement;
  const uint32_t site =
      compact ? kCall + (inherited ? kForward : 0) : kRows + (inherited ? 2 * kReach : 0);
  return {striped ? kCall : increment, site};
}

// The registers that remain besides the method's own code. C1 inlines small methods, so a call may
// use many; whether it does is unknown here. A minimum always remains: otherwise a method with many
// calls that are not inlined would lose all its counts.
constexpr uint32_t RegisterBudget(uint32_t code_bytes, uint32_t inlinable_calls) {
  constexpr uint32_t kLimit = 9500;  // below the real limit of 10,000
  constexpr uint32_t kLeast = 800;
  constexpr uint32_t kInlinedCall = 20;
  const uint32_t own = code_bytes * 9 / 10 + inlinable_calls * kInlinedCall;
  return kLimit - std::min(kLimit - kLeast, own);
}

}  // namespace iprof::instrument
