// ExtraKeyMerger: the extra top-level keys of many profiles, united.
//
// Guarantees:
//  - The result depends on the multiset of inputs only.
//  - A key in several inputs: where they disagree, the text that sorts first is kept and the key is
//    reported. The parts of our section "iprofagent" (agent_section.h) are united one by one, and
//    reported as "iprofagent.sampling"; source lines are united line by line. Older keys of ours become
//    parts.
//  - A section that we cannot read is kept only where no input has one that we can; otherwise it is
//    left out and "iprofagent" is reported.
// One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "writer/io/agent_section.h"
#include "writer/io/source_lines.h"
#include "writer/model/model.h"

namespace iprof {

class ExtraKeyMerger {
 public:
  void Add(const Profile& input);
  void Add(const ExtraKeyMerger& other);

  // Sets the united keys, in the order of their names.
  void WriteTo(Profile& profile) const;
  // Keys that inputs disagreed about, sorted.
  std::vector<std::string> ConflictingKeys() const;

 private:
  void AddText(std::string_view key, std::string_view json);
  void AddPart(std::string_view name, std::string_view json);
  void AddUnread(std::string_view json);
  void AddLines(const SourceLines& lines);
  bool HasSection() const { return has_section_ || !parts_.empty() || lines_.has_value(); }
  AgentSection Section() const;

  std::map<std::string, std::string, std::less<>> texts_;  // keys that are not ours
  bool has_section_ = false;                               // that can be read
  AgentSection::Parts parts_;                              // but for well-formed lines
  std::optional<SourceLines> lines_;
  std::optional<std::string> unread_;  // the first section that cannot be read
  std::vector<std::string> conflicts_;
};

}  // namespace iprof
