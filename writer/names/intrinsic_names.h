// IntrinsicNames: methods of the JDK that some HotSpot's compilers may replace at the call.
//
// Their entry counters miss the calls that were replaced, so the calls are counted at their sites
// as well. Whether a method is a candidate in the running JDK is said by its own
// @IntrinsicCandidate annotation; this list only says which call sites are worth the trouble,
// before the callee's class has been seen. A name too many costs a little, a name too few leaves an
// undercount.
//
// Pure; any thread. Regenerate with scripts/list-intrinsics.
#pragma once

#include <string_view>

namespace iprof {

// Internal class name and method name; any descriptor.
bool MayBeIntrinsic(std::string_view owner, std::string_view name);

}  // namespace iprof
