// ExtraKeyMerger: unites the extra top-level keys of many profiles.
//
// Guarantees:
//  - The result depends only on the multiset of inputs.
//  - If several inputs have different values for a key, the text that sorts first is kept and the
//    key is reported. The parts of our section "iprofagent" (agent_section.h) are united one by
//    one, and reported as "iprofagent.sampling". Our older keys become parts.
//  - Estimated calls add up (estimate_note.h).
//  - Statistics of sampling add up (sampling_sum.h). Those of another event or interval than most
//    signals have are left out, and reported.
//  - The runs of all inputs are listed (run_note.h). Hashes of code, lines and callees are left
//    out: they belong to methods, and whoever writes the methods adds them (code_part.h,
//    position_part.h).
//  - Notes of harvests are united (harvest_note.h), and say if an input had exact counts. So are
//    notes of snapshots (snapshot_note.h).
//  - A section that we cannot read is kept only if no input has a readable one; otherwise it is
//    left out and "iprofagent" is reported.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/io/agent_section.h"
#include "writer/io/estimate_note.h"
#include "writer/io/harvest_note.h"
#include "writer/io/run_note.h"
#include "writer/io/snapshot_note.h"
#include "writer/model/model.h"
#include "writer/ops/sampling_sum.h"

namespace iprof {

class ExtraKeyMerger {
 public:
  // Statistics are multiplied by the weight.
  void Add(const Profile& input, int64_t weight = 1);
  void Add(const ExtraKeyMerger& other);

  // Sets the united keys, in the order of their names.
  void WriteTo(Profile& profile) const;
  // Keys with different values in the inputs, sorted.
  std::vector<std::string> ConflictingKeys() const;

 private:
  void AddText(std::string_view key, std::string_view json);
  void AddPart(std::string_view name, std::string_view json, int64_t weight);
  void AddUnread(std::string_view json);
  void AddHarvest(const HarvestNote& note);
  void AddEstimates(EstimateNote note, int64_t weight);
  void AddSnapshot(const SnapshotNote& note);
  void AddSampling(const SamplingSum& sum);
  bool HasSection() const {
    return has_section_ || !parts_.empty() || harvest_.has_value() || snapshot_.has_value() ||
           !sampling_.empty() || !runs_.empty() || estimates_.has_value();
  }
  const SamplingSum* MostSampling() const;
  AgentSection Section() const;

  std::map<std::string, std::string, std::less<>> texts_;  // keys that are not ours
  bool has_section_ = false;                               // a section that can be read
  AgentSection::Parts parts_;  // except those that have members below, if they are well-formed
  bool has_lines_ = false;     // well-formed ones
  std::optional<HarvestNote> harvest_;
  std::optional<SnapshotNote> snapshot_;
  std::optional<EstimateNote> estimates_;
  bool has_exact_counts_ = false;
  std::map<std::pair<std::string, int64_t>, SamplingSum> sampling_;  // by event and interval
  RunList runs_;
  std::optional<std::string> unread_;  // the first section that cannot be read
  std::vector<std::string> conflicts_;
};

}  // namespace iprof
