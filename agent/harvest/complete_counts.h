// CompleteCounts: which methods have counters that hold all that ever happened in them.
//
// Why: HotSpot's counters stop when C2 compiles a method, so they are lower bounds. A counter that never stopped
// is the number itself, and no estimate may exceed it.
//
// The counters of a method are complete if
//  - it never had code that counts nothing: of C2 (tier 4), or of C1 without counters (tier 1). HotSpot keeps the
//    highest tier of each method. A highest tier of 2 or 3 can hide an earlier tier 1, which methods get that C2 refused. HotSpot
//    asks C2 only once the counters have reached its thresholds, so below these there was none;
//  - no such code has it inlined. From the methods that had it, all calls are followed by name and descriptor, to
//    methods that compilers may inline, and on through their calls. Handles may lead to what lambdas and handles run.
//    Code of tiers 2 and 3 counts what it inlines, except for accessors, which are never complete;
//  - it is no intrinsic, and its counters were neither lowered nor replaced (lowered when nearly full, replaced
//    when its class was redefined).
//
// Example: A.run has C2 code and calls B.parse (400 bytes), which calls C.skip. B.parse was counted 5 times and never
// compiled: it is larger than what C2 inlines, so its 5 calls are all. C.skip is called by nothing else, so
// what was counted of it is complete as well, although it is small.
//
// Two limits remain. Threads that count at the same time lose counts. And executions of a method before it has a
// MethodData are in its entries and jumps backwards only, not in the counts of its blocks.
//
// Guarantees: pure; a method is complete only if all of this is known. Threads: any. Failure: if the code of one
// method cannot be read, no method is complete; std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "agent/harvest/harvested_program.h"
#include "agent/hotspot/metadata.h"
#include "agent/hotspot/vm_flags.h"

namespace iprof::hotspot {

// What HotSpot's compilers are allowed.
struct CompilerLimits {
  static CompilerLimits Of(const VmFlags& flags);

  bool are_known = false;      // otherwise no method is complete
  uint32_t most_bytes = 0;     // of a method that is inlined
  uint64_t fewest_calls = 1;   // of a method that C2 inlines, unless it has code itself
  uint64_t calls_for_c2 = 0;   // fewer calls
  uint64_t rounds_for_c2 = 0;  // and jumps backwards make no method one for C2
};

// What is taken for the highest tier of a method, and between what it must be: its code has at most that tier, and what
// was hardly called never had code.
struct SeenTier {
  uint8_t least = 0, most = 0, highest = 0;
};
bool AreTiersKnown(std::span<const SeenTier> tiers);
// Of some methods with code and some without. `tier_of`: that of the code at an address.
std::vector<SeenTier> SeenTiers(std::span<const ListedMethod> listed,
                                const std::function<std::optional<uint8_t>(Address code)>& tier_of);

// Calls visit(owner, name, descriptor) for each call in the code of a method. False: it cannot be read.
using VisitCall = std::function<void(const PoolMember&)>;
using CallsOf = std::function<bool(uint32_t method, const VisitCall& visit)>;

// By method. `is_replaced`: by class.
std::vector<bool> FindComplete(const HarvestedProgram& program,
                               std::span<const ListedMethod> listed,
                               const std::vector<bool>& is_replaced, const CompilerLimits& limits,
                               const CallsOf& calls_of);

}  // namespace iprof::hotspot
