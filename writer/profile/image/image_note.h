// ImageNote: the image build that a profile is made for, and whether everything that such
// a build cannot use has been left out. It is a part of the profile's section
// "iprofagent" (agent_section.h):
//   "image": {"target":25,"filtered":true}
//
// Guarantees: Parse reads what ToJson returns, also with other JSON spelling and with additional
// members. Anything else is not a note, including an unknown target and text of more than 4 KiB.
// Threads: any; pure functions. Failure: what is not a note is nullopt; std::bad_alloc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "writer/profile/image/image_target.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/model.h"

namespace iprof {

struct ImageNote {
  ImageTarget target = kNewestImageTarget;
  bool filtered = false;
  bool operator==(const ImageNote&) const = default;

  std::string ToJson() const;
  static std::optional<ImageNote> Parse(std::string_view json);
  // Empty if there is no note, or if it cannot be read.
  static std::optional<ImageNote> Of(const AgentSection& section);
  static std::optional<ImageNote> Of(const Profile& profile);
};

}  // namespace iprof
