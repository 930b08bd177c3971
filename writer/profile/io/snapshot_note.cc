#include "writer/profile/io/snapshot_note.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "writer/base/grouped.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"

namespace iprof {
namespace {

constexpr size_t kMostBytes = 4096;  // a note has about 300

constexpr std::string_view kLostNotes = "lost_notes";

// Numbers of the note that a merge adds up.
constexpr std::pair<std::string_view, int64_t SnapshotNote::*> kSums[] = {
    {"files", &SnapshotNote::files},
    {"recorded_ms", &SnapshotNote::recorded_ms},
    {"methods_exact", &SnapshotNote::methods_exact},
    {"methods_within_k", &SnapshotNote::methods_within_k},
    {"lost_classes", &SnapshotNote::lost_classes},
    {"lost_counts", &SnapshotNote::lost_counts},
    {"lost_other", &SnapshotNote::lost_other},
    {kLostNotes, &SnapshotNote::lost_notes},
    {"damaged_records", &SnapshotNote::damaged_records},
    {"newer_damaged", &SnapshotNote::newer_damaged},
};

// What the files say of their counts; other inputs of a merge may say something else of the same methods.
std::string DescribeCounts(const SnapshotNote& note) {
  if (note.methods_exact == 0 && note.methods_within_k == 0) return {};
  std::string text = note.files == 1 ? "; its counts" : "; their counts";
  if (note.methods_exact > 0)
    text += fmt::format(" are exact in {}", Counted(note.methods_exact, "method", "methods"));
  if (note.methods_within_k > 0) {
    text += fmt::format("{} may be off in {}", note.methods_exact > 0 ? ", and" : "",
                        Counted(note.methods_within_k, "method", "methods"));
  }
  if (note.at_rest) return text;
  // Threads were counting, or it is lost which frames were live, which may be among other losses.
  if (note.lost_notes > 0 || note.damaged_records > 0 || (!note.tells_notes && note.lost_other > 0))
    return text + " by an unknown number";
  return text + (note.files == 1
                     ? " by an unknown number, because the program ran on while they were read"
                     : " by an unknown number where a program ran on while they were read");
}

}  // namespace

std::string SnapshotNote::ToJson() const {
  JsonBuilder json;
  json.Open('{').Field("generation", generation).Field("time", time);
  json.Field("at_rest", at_rest ? 1 : 0);
  for (const auto& [name, number] : kSums) {
    if (name != kLostNotes || tells_notes) json.Field(name, this->*number);
  }
  json.Field("without_harvest", without_harvest ? 1 : 0);
  return json.Close('}').Take();
}

std::optional<SnapshotNote> SnapshotNote::Parse(std::string_view json) {
  if (json.size() > kMostBytes) return std::nullopt;
  SnapshotNote note;
  note.files = 0;
  note.tells_notes = false;
  int64_t at_rest = 0;
  int64_t without_harvest = 0;
  const bool read = ParseObject(json, kSnapshotPart, [&](JsonScanner& in, const std::string& name) {
    const auto number = [&](int64_t* value) { return in.ReadWhole(value) && *value >= 0; };
    if (name == "generation") return number(&note.generation);
    if (name == "at_rest") return number(&at_rest);
    if (name == "without_harvest") return number(&without_harvest);
    if (name == "time") return in.ReadText(&note.time);
    if (name == kLostNotes) note.tells_notes = true;
    for (const auto& [known, member] : kSums) {
      if (name == known) return number(&(note.*member));
    }
    return in.SkipValue();
  });
  if (!read || note.files == 0) return std::nullopt;
  note.at_rest = at_rest != 0;
  note.without_harvest = without_harvest != 0;
  return note;
}

void SnapshotNote::Unite(const SnapshotNote& other) {
  for (const auto& [name, number] : kSums) {
    this->*number = SaturatingAdd(this->*number, other.*number);
  }
  tells_notes = tells_notes && other.tells_notes;
  if (!tells_notes) lost_notes = 0;
  generation = std::max(generation, other.generation);
  time = std::min(time, other.time);
  at_rest = at_rest && other.at_rest;
  without_harvest = without_harvest || other.without_harvest;
}

int64_t SnapshotNote::Losses() const { return SaturatingAdd(LossesOfCounts(), lost_other); }

int64_t SnapshotNote::LossesOfCounts() const {
  int64_t sum = without_harvest ? 1 : 0;
  for (const int64_t lost : {lost_classes, lost_counts, damaged_records})
    sum = SaturatingAdd(sum, lost);
  return sum;
}

std::string SnapshotNote::Describe(bool tells_counts) const {
  std::string text = files == 1
                         ? fmt::format("snapshot {} of {}", generation, time)
                         : fmt::format("{} files, the oldest snapshot of {}", Grouped(files), time);
  if (tells_counts) text += DescribeCounts(*this);
  if (!HasLosses()) return text;
  text += "; lost:";
  auto add = [&, separator = " "](std::string_view what) mutable {
    text += std::exchange(separator, ", ");
    text += what;
  };
  const auto lost = [&](int64_t count, std::string_view one, std::string_view several) {
    if (count > 0) add(Counted(count, one, several));
  };
  lost(lost_classes, "class", "classes");
  lost(lost_counts, "counter, receiver or stack", "counters, receivers or stacks");
  if (tells_notes) {
    lost(lost_other - lost_notes, "type that did not run", "types that did not run");
  } else {
    lost(lost_other - lost_notes, "other thing", "other things");
  }
  lost(lost_notes, "note on the run or the frames that were live",
       "notes on the run or the frames that were live");
  lost(damaged_records, "damaged part of the file", "damaged parts of the file");
  lost(newer_damaged, "snapshot that seems to be newer (damaged or not complete)",
       "snapshots that seem to be newer (damaged or not complete)");
  if (without_harvest) add("HotSpot's own counts");
  return text;
}

}  // namespace iprof
