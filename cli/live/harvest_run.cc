#include "cli/live/harvest_run.h"

#include <sys/utsname.h>

#include <chrono>

#include "writer/base/run_id.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"

namespace iprof::cli {

RunNote HarvestedRun(const std::string& program, const std::string& jdk_version) {
  RunNote run;
  run.run = RunId::Make().Text();
  run.agent = IPROF_VERSION;
  // A core has the version of the build, "17.0.15+6"; a process that of the JDK.
  run.jvm_version = jdk_version.substr(0, jdk_version.find_first_of("+-"));
  if (run.jvm_version != jdk_version) run.jvm_build = jdk_version;
  utsname machine{};
  if (uname(&machine) == 0) run.architecture = machine.machine;
  run.program = program;
  run.source = kMethodDataSource;
  run.tables = "calls+branches+receivers+instanceofs";
  run.begin = kBeginAtStart;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  run.end_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return run;
}

void AddProvenance(const RunNote& run, Profile& profile) {
  RunList runs;
  runs.Add(run);
  SetAgentPart(profile, kProvenancePart, runs.ToJson());
}

}  // namespace iprof::cli
