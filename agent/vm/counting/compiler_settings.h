// CompilerSettings: what the settings of the JVM's compilers mean for counting.
//
// Guarantees: unknown settings and unreadable files give the safe answer. Threads: any; may read a
// small file. Failure: the safe answer.
#pragma once

#include <cstdint>

#include "agent/vm/counting/startup_plan.h"

namespace iprof::vm {

struct CompilerSettings {
  // HotSpot does not compile methods longer than this, in bytes; 0: no limit.
  uint32_t huge_method_limit;
  // Some empty methods are used as black holes and must stay empty (instrument/kept_shapes.h).
  bool black_holes;
};

CompilerSettings ReadCompilerSettings(const FlagQueries& flags);

}  // namespace iprof::vm
