// CompilerSettings: what the JVM's own settings of its compilers mean for counting.
//
// Guarantees: unknown settings and files that cannot be read give the careful answer. Any thread;
// may read a small file.
#pragma once

#include <cstdint>

#include "agent/vm/counting/startup_plan.h"

namespace iprof::vm {

struct CompilerSettings {
  // HotSpot compiles no longer method, in bytes; 0: it compiles all.
  uint32_t huge_method_limit;
  // Some empty methods are to be treated as black holes (instrument/kept_shapes.h).
  bool black_holes;
};

CompilerSettings ReadCompilerSettings(const FlagQueries& flags);

}  // namespace iprof::vm
