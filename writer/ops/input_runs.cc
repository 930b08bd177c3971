#include "writer/ops/input_runs.h"

#include <algorithm>

#include "writer/base/utc_time.h"
#include "writer/profile/io/agent_section.h"

namespace iprof {

InputRuns InputRuns::Of(const Profile& profile) {
  InputRuns runs;
  runs.was_read = true;
  const RunList list = RunList::Of(profile);
  runs.runs = list.Runs();
  runs.older = list.older();
  const AgentSection section = AgentSection::Of(profile);
  if (const auto json = section.Part(kSnapshotPart)) runs.snapshot = SnapshotNote::Parse(*json);
  return runs;
}

void InputRuns::NoteRun(RunId run) {
  if (!was_read || !runs.empty() || !run.is_known()) return;
  RunNote& note = runs.emplace_back();
  note.run = run.Text();
  if (snapshot) note.end_ms = ParseUtcText(snapshot->time);
}

bool InputRuns::KnowsAll() const {
  return older == 0 && !runs.empty() &&
         std::none_of(runs.begin(), runs.end(), [](const RunNote& run) { return run.run.empty(); });
}

}  // namespace iprof
