// TrivialCode: which methods HotSpot compiles without counters as soon as it looks at them.
//
// Why: the counts of these methods end there, however often they are called. The interpreter goes on to
// count any other method, until that has a MethodData.
//
// Guarantees: pure; as CompilationPolicy::is_trivial of JDK 17 to 25. Native methods, which are compiled
// at the same time, have no code. Threads: any. Failure: none.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {

// HotSpot looks at a method for the first time after so many calls. Fewer were all counted.
inline constexpr uint64_t kFewestToCompile = 128;
// A setter: aload_0, iload_1, putfield, return.
inline constexpr uint32_t kMostTrivialBytes = 6;

// Whether the method only reads a field of its first argument, writes a field of it, or returns a constant.
bool IsTrivial(const OriginalCode& code, std::string_view descriptor, bool is_static);

}  // namespace iprof::hotspot
