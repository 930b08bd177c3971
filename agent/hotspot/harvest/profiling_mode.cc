#include "agent/hotspot/harvest/profiling_mode.h"

#include <string>

namespace iprof::hotspot {

constexpr uint64_t kFirstThatProfiles = 3;  // the tier of C1 that keeps MethodDatas

bool RunsWithoutProfiling(const VmFlags& flags) {
  if (!flags.Bool("UseCompiler").value_or(true)) return true;
  if (flags.Text("CompilationMode").value_or(std::string()) == "quick-only") return true;
  return flags.Bool("TieredCompilation").value_or(true) &&
         flags.Number("TieredStopAtLevel").value_or(kFirstThatProfiles) < kFirstThatProfiles;
}

bool CountsToTheEnd(const VmFlags& flags) {
  return !RunsWithoutProfiling(flags) && flags.Bool("TieredCompilation").value_or(false) &&
         flags.Number("TieredStopAtLevel") == kFirstThatProfiles;
}

bool ReplaysTraining(const VmFlags& flags) {
  return flags.Bool("AOTReplayTraining").value_or(false) &&
         !flags.Text("AOTCache").value_or(std::string()).empty();
}

}  // namespace iprof::hotspot
