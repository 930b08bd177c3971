// ExtraKeyMerger: unites the extra top-level keys of many profiles.
//
// Guarantees:
//  - The result depends only on the multiset of inputs.
//  - If several inputs have different values for a key, the text that sorts first is kept and the
//    key is reported. The parts of our section "iprofagent" (agent_section.h) are united one by
//    one, and reported as "iprofagent.sampling". Our older keys become parts.
//  - The image build that the result is meant for is that of the newest input, or of those inputs
//    that have the largest sum of calls, branches, receivers and type checks (ImageChoice). If inputs
//    differ, in the build or in whether they were filtered for it, "iprofagent.image" is reported. An input
//    that does not say it may have what no build can use.
//  - Estimated calls are scaled as the calls are, and add up (estimate_note.h).
//  - Statistics of sampling add up (sampling_sum.h), with weights scaled as the samples are; where
//    these are not scaled because the intervals are alike, to the mean interval. Those of another event or interval than
//    most signals have are left out, and reported.
//  - The runs of all inputs are listed (run_note.h). Hashes of code, lines and callees are left
//    out: they belong to methods, and whoever writes the methods adds them (code_part.h,
//    position_part.h).
//  - Parts with a rule of their own (part_rules.h) are united by it: notes of harvests, which also say if an input had
//    exact counts, and notes of snapshots.
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

#include "writer/ops/count_scale.h"
#include "writer/ops/method_versions.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/image/image_target.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/sampling_sum.h"
#include "writer/profile/model.h"

namespace iprof {

// For which image build a merge is meant.
struct ImageChoice {
  // What decided between several targets: the criterion that PreferredVersion names; or, among those that it left,
  // the other one; or, among those that both left, the target itself.
  enum class Reason : uint8_t {
    kNewest,
    kHeaviest,
    kNewestOfHeaviest,
    kHeaviestOfNewest,
    kNewestTarget,
  };

  std::vector<ImageTarget> targets;  // those of the inputs, ascending; empty if no input says it
  // Of the result, if an input says it: filtered only if all inputs say that they are, and for this target.
  std::optional<ImageNote> note;
  Reason reason = Reason::kNewestTarget;
  // Some inputs say that they were filtered; others say that they were not, or nothing.
  bool filters_differ = false;
};

class ExtraKeyMerger {
 public:
  // Statistics are multiplied by the weight, estimated calls also by the scale.
  void Add(const Profile& input, int64_t weight = 1, CountScale scale = {});
  void Add(const ExtraKeyMerger& other);

  ImageChoice ChooseImage(PreferredVersion preferred) const;
  // Sets the united keys, in the order of their names.
  void WriteTo(Profile& profile, PreferredVersion preferred = PreferredVersion::kHeaviest) const;
  // Keys with different values in the inputs, sorted.
  std::vector<std::string> ConflictingKeys() const;

 private:
  void AddText(std::string_view key, std::string_view json);
  // The inputs that are meant for one image build.
  struct ImageInputs {
    int64_t newest_ms = 0;
    int64_t weight = 0;
    bool has_filtered = false;
    bool has_whole = false;
  };

  // How the counts of an input are multiplied, and how much it has of them.
  struct InputFacts {
    int64_t weight = 1;
    CountScale scale = {};
    int64_t newest_ms = 0;
    int64_t counts = 0;
  };

  void AddPart(std::string_view name, std::string_view json, const InputFacts& facts);
  void AddImage(const ImageNote& note, const InputFacts& facts);
  void AddUnread(std::string_view json);
  void AddEstimates(EstimateNote note, const InputFacts& facts);
  void AddSampling(const SamplingSum& sum);
  void AddUnited(std::string_view name, std::string_view json);
  bool HasSection() const {
    return has_section_ || !parts_.empty() || !united_.empty() || !sampling_.empty() ||
           !runs_.empty() || estimates_.has_value() || !images_.empty();
  }
  // Those of one event as one, where their intervals are alike.
  std::vector<SamplingSum> UnitedSampling() const;
  AgentSection Section(PreferredVersion preferred) const;

  std::map<std::string, std::string, std::less<>> texts_;  // keys that are not ours
  bool has_section_ = false;                               // a section that can be read
  AgentSection::Parts parts_;   // except those that have members below, if they are well-formed
  bool has_lines_ = false;      // well-formed ones
  AgentSection::Parts united_;  // those that a PartRule unites
  std::optional<EstimateNote> estimates_;
  bool has_exact_counts_ = false;
  std::map<std::pair<std::string, int64_t>, SamplingSum> sampling_;  // by event and interval
  RunList runs_;
  std::map<ImageTarget, ImageInputs> images_;
  bool has_unsaid_image_ = false;      // an input with entries does not say it
  bool has_cut_samples_ = false;       // an input's samples are cut when they are written
  bool has_whole_stacks_ = true;       // all inputs have (image/sample_split.h)
  std::optional<std::string> unread_;  // the first section that cannot be read
  std::vector<std::string> conflicts_;
};

}  // namespace iprof
