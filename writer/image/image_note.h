// ImageNote: for which image build a profile is meant, and whether what such a build cannot use has
// been left out. It is a part of the profile's section "iprofagent" (agent_section.h):
//   "image": {"target":25,"filtered":true}
//
// Guarantees: what ToJson gives, Parse reads, in any spelling of JSON and with members that it does not
// know; a target that it does not know, text of more than 4 KiB, and anything else is no note. Pure;
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "writer/image/image_target.h"
#include "writer/io/agent_section.h"
#include "writer/model/model.h"

namespace iprof {

struct ImageNote {
  ImageTarget target = kNewestImageTarget;
  bool filtered = false;
  bool operator==(const ImageNote&) const = default;

  std::string ToJson() const;
  static std::optional<ImageNote> Parse(std::string_view json);
  // Nothing where there is none, or one that cannot be read.
  static std::optional<ImageNote> Of(const AgentSection& section);
  static std::optional<ImageNote> Of(const Profile& profile);
};

}  // namespace iprof
