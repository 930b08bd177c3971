#include "writer/profile/io/part_rules.h"

#include <algorithm>
#include <array>
#include <optional>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/snapshot_note.h"

namespace iprof {
namespace {

template <typename Note>
constexpr PartRule RuleOfNote(std::string_view part) {
  return {part, [](std::string_view json) { return Note::Parse(json).has_value(); },
          [](std::string_view left, std::string_view right) {
            std::optional<Note> note = Note::Parse(left);
            note->Unite(*Note::Parse(right));
            return note->ToJson();
          }};
}

constexpr std::array kRules{RuleOfNote<HarvestNote>(kHarvestPart),
                            RuleOfNote<SnapshotNote>(kSnapshotPart)};

}  // namespace

const PartRule* RuleOf(std::string_view part) {
  const auto* const found = std::ranges::find(kRules, part, &PartRule::part);
  return found == kRules.end() ? nullptr : found;
}

}  // namespace iprof
