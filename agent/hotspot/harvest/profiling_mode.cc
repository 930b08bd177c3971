#include "agent/hotspot/harvest/profiling_mode.h"

#include <string>

namespace iprof::hotspot {

bool RunsWithoutProfiling(const VmFlags& flags) {
  constexpr uint64_t kFirstThatProfiles = 3;  // the tier of C1 that keeps MethodDatas
  if (!flags.Bool("UseCompiler").value_or(true)) return true;
  if (flags.Text("CompilationMode").value_or(std::string()) == "quick-only") return true;
  return flags.Bool("TieredCompilation").value_or(true) &&
         flags.Number("TieredStopAtLevel").value_or(kFirstThatProfiles) < kFirstThatProfiles;
}

}  // namespace iprof::hotspot
