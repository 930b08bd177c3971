#include "writer/profile/io/part_rules.h"

#include <algorithm>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/context_form.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/snapshot_note.h"
#include "writer/profile/io/source_lines.h"
#include "writer/profile/io/split_part.h"

namespace iprof {
namespace {

template <typename Note>
bool IsNote(std::string_view json) {
  return Note::Parse(json).has_value();
}

template <typename Note>
std::string UniteNotes(std::string_view left, std::string_view right) {
  std::optional<Note> note = Note::Parse(left);
  note->Unite(*Note::Parse(right));
  return note->ToJson();
}

// Multiplied counts are more than the run's time allows.
std::string MultiplyHarvest(std::string_view json, int64_t /*weight*/) {
  HarvestNote note = *HarvestNote::Parse(json);
  note.cpu_ms = HarvestNote::kUnknownCpu;
  return note.ToJson();
}

bool IsEventPart(std::string_view json) { return ParseEvents(json).has_value(); }

std::string UniteEvents(std::string_view left, std::string_view right) {
  EventTables events = *ParseEvents(left);
  events.Unite(*ParseEvents(right));
  return EventsToJson(events);
}

std::string MultiplyEvents(std::string_view json, int64_t weight) {
  EventTables events = *ParseEvents(json);
  events.Multiply(weight);
  return EventsToJson(events);
}

constexpr PartRule kRules[] = {
    {kCodePart, "36 bits, six digits for the names, and six or '-' for each recorded method",
     IsCodePart},
    {kPositionsPart, "a hash of the positions, their lines, and the callees with their names",
     IsPositionPart},
    {kProvenancePart, "a list of runs",
     [](std::string_view json) { return RunList().AddJson(json); }},
    {kSnapshotPart, "what was recovered from a raw file", IsNote<SnapshotNote>,
     UniteNotes<SnapshotNote>},
    {kContextsPart, R"({"form":"inclusive"}, or no such part)", IsInclusivePart},
    {kSplitPart,
     "stacks, each with its weight and where its pieces begin and end, and names for them",
     IsSplitPart},
    {kLinesPart, "methods with a line for each position",
     [](std::string_view json) { return SourceLines().AddJson(json); }},
    {kHarvestPart, "what HotSpot's counters are, and how they were estimated", IsNote<HarvestNote>,
     UniteNotes<HarvestNote>, MultiplyHarvest},
    {kEventsPart,
     "allocations and waits for locks, in version 1: names, stacks, and rows that name them",
     IsEventPart, UniteEvents, MultiplyEvents},
    {kEstimatesPart, "which numbers are estimated", IsNote<EstimateNote>},
};

}  // namespace

std::span<const PartRule> PartRules() { return kRules; }

const PartRule* RuleOf(std::string_view part) {
  const auto* const found = std::ranges::find(kRules, part, &PartRule::part);
  return found == std::end(kRules) ? nullptr : found;
}

}  // namespace iprof
