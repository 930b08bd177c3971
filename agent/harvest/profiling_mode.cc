#include "agent/harvest/profiling_mode.h"

#include <string>

namespace iprof::hotspot {

constexpr uint64_t kFirstThatProfiles = 3;  // the tier of C1 that keeps MethodDatas

std::string WithoutCompiledCounts(const VmFlags& flags) {
  const uint64_t stop_at = flags.Number("TieredStopAtLevel").value_or(kFirstThatProfiles);
  if (flags.Text("CompilationMode").value_or(std::string()) == "quick-only")
    return "-XX:CompilationMode=quick-only";
  // Without tiers, the JVM looks at this flag only to see whether there is a compiler.
  const bool has_tiers = flags.Bool("TieredCompilation").value_or(true);
  if (stop_at == 0 || (has_tiers && stop_at < kFirstThatProfiles))
    return "-XX:TieredStopAtLevel=" + std::to_string(stop_at);
  return {};
}

std::string WithoutProfiling(const VmFlags& flags) {
  std::string option = WithoutCompiledCounts(flags);
  if (!option.empty() || flags.Bool("UseCompiler").value_or(true)) return option;
  return flags.Bool("ProfileInterpreter").value_or(false) ? "-XX:-UseCompiler" : "-Xint";
}

bool RunsWithoutProfiling(const VmFlags& flags) { return !WithoutProfiling(flags).empty(); }

bool CountsToTheEnd(const VmFlags& flags) {
  return !RunsWithoutProfiling(flags) && flags.Bool("TieredCompilation").value_or(false) &&
         flags.Number("TieredStopAtLevel") == kFirstThatProfiles;
}

bool ReplaysTraining(const VmFlags& flags) {
  return flags.Bool("AOTReplayTraining").value_or(false) &&
         !flags.Text("AOTCache").value_or(std::string()).empty();
}

}  // namespace iprof::hotspot
