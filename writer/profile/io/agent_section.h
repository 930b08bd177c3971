// AgentSection: what iprofagent adds to a profile beyond the format, under one extra top-level key.
//   "iprofagent": {"version":1,"image":{...},"positions":{...},"sampling":{...}}
// Consumers of the format skip the key. Each member except "version" is a part, a JSON object:
//   code        hashes of the recorded methods' code (code_part.h)
//   estimates   which numbers are estimated, and not counted (estimate_note.h)
//   events      allocations and waits for locks, with their stacks (event_part.h)
//   image       for which image build the profile is meant (image/image_note.h)
//   lines       source lines of sampled positions, in older profiles (source_lines.h)
//   harvest     that the numbers are HotSpot's own, and how they were estimated (harvest_note.h)
//   positions   source lines and callees of the profile's positions (position_part.h)
//   provenance  the runs that the profile was recorded in (run_note.h)
//   sampling    the sampler's statistics (the agent writes them, docs/sampling.md explains them)
//   snapshot    that the profile was recovered from a raw file (snapshot_note.h)
//   split       the whole stacks of samples that the file has in pieces or not at all (split_part.h)
//
// Versions:
//  - The version is a positive integer; we write 1. We increase it only when the meaning or the
//    shape of existing content changes, not for a new part or a new member of a part: readers keep
//    and ignore what they do not know.
//  - A malformed section, or one of a higher version, is kept unchanged and not read: its lines and
//    its image target count as absent, and no part is added to it. `iprof check` reports a higher
//    version as doubtful, and a malformed section as an error.
//  - Profiles from before the section have top-level keys iprofImage, iprofLines and iprofSampling.
//    They are read as parts; if a file has both, the section's part wins. Merging and filtering
//    move them into the section; no other operation changes the keys of a file.
//
// Guarantees: the order in which keys are added makes no difference. Any text may be passed. ToJson
// is deterministic: the version first, then the parts by name, each with its original bytes.
// Threads: one per object. Failure: form() and fault() say why a section cannot be read;
// std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "writer/profile/model.h"

namespace iprof {

inline constexpr std::string_view kAgentKey = "iprofagent";
inline constexpr int64_t kAgentKeyVersion = 1;

// The parts that we know.
inline constexpr std::string_view kCodePart = "code";
inline constexpr std::string_view kContextsPart = "contexts";
inline constexpr std::string_view kEstimatesPart = "estimates";
inline constexpr std::string_view kEventsPart = "events";
inline constexpr std::string_view kHarvestPart = "harvest";
inline constexpr std::string_view kImagePart = "image";
inline constexpr std::string_view kLinesPart = "lines";
inline constexpr std::string_view kPositionsPart = "positions";
inline constexpr std::string_view kProvenancePart = "provenance";
inline constexpr std::string_view kSamplingPart = "sampling";
inline constexpr std::string_view kSnapshotPart = "snapshot";
inline constexpr std::string_view kSplitPart = "split";

class AgentSection {
 public:
  using Parts = std::map<std::string, std::string, std::less<>>;  // JSON text by name
  enum class Form : uint8_t {
    kNone,       // no such key (parts may still come from older keys)
    kReadable,   // version 1
    kNewer,      // a version that we do not know
    kMalformed,  // fault() says why
  };
  // What is wrong with a malformed section, for messages.
  struct Fault {
    std::string member;  // empty: the section itself
    std::string found;
    std::string expected;
  };

  static AgentSection Of(const Profile& profile);

  // Takes a top-level key of a file: the section, or an older key whose value can be a part. For
  // any other key, it takes nothing and returns false. The value is valid JSON of any shape.
  bool Add(std::string_view key, std::string_view json);

  Form form() const { return form_; }
  // False if the profile has a section that must be kept unchanged.
  bool can_hold_parts() const { return form_ == Form::kNone || form_ == Form::kReadable; }
  // For kReadable and kNewer.
  int64_t version() const { return version_; }
  const Fault& fault() const { return fault_; }
  // The section's text, if it cannot hold parts.
  const std::string& unread() const { return unread_; }
  const Parts& parts() const { return parts_; }
  std::optional<std::string_view> Part(std::string_view name) const&;
  // The text would outlive the section that it is in: keep the section, or use AgentPart.
  std::optional<std::string_view> Part(std::string_view name) && = delete;

  // Whether SetPart may be called with this. For bytes that someone else wrote.
  static bool CanBePart(std::string_view name, std::string_view json);
  // The value must be a JSON object.
  void SetPart(std::string_view name, std::string_view json);
  void RemovePart(std::string_view name);
  // The section with all parts, in our version.
  std::string ToJson() const;

 private:
  void AddSection(std::string_view json);

  Form form_ = Form::kNone;
  int64_t version_ = 0;
  Fault fault_;
  std::string unread_;
  Parts parts_;
};

// A copy of one part of a profile's section.
std::optional<std::string> AgentPart(const Profile& profile, std::string_view name);
// Sets a part of a profile's section; a no-op if the section must be kept unchanged. Older keys are
// not touched: this is for profiles that the agent makes.
void SetAgentPart(Profile& profile, std::string_view name, std::string_view json);
// Removes a part, by the same rules; a no-op also if there is no such part.
void RemoveAgentPart(Profile& profile, std::string_view name);

}  // namespace iprof
