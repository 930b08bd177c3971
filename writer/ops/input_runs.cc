#include "writer/ops/input_runs.h"

#include "writer/io/agent_section.h"

namespace iprof {

InputRuns InputRuns::Of(const Profile& profile) {
  InputRuns runs;
  runs.was_read = true;
  runs.runs = RunList::Of(profile).Runs();
  const AgentSection section = AgentSection::Of(profile);
  if (const auto json = section.Part(kSnapshotPart)) runs.snapshot = SnapshotNote::Parse(*json);
  return runs;
}

}  // namespace iprof
