// IntrinsicNames: methods of the JDK that the compilers of some HotSpot version may replace at
// the call.
//
// Their entry counters miss the replaced calls, so the calls are counted at their call sites as
// well. The annotation @IntrinsicCandidate shows whether a method is a candidate in the running
// JDK. This list only selects the call sites to count, before the callee's class has been seen. A
// superfluous name costs little; a missing name leaves counts too low.
//
// Regenerate the list with scripts/list-intrinsics.
//
// Guarantees: pure. Threads: any. Failure: none.
#pragma once

#include <string_view>

namespace iprof {

// Internal class name and method name; any descriptor.
bool MayBeIntrinsic(std::string_view owner, std::string_view name);

}  // namespace iprof
