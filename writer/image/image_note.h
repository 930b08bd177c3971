// ImageNote: the extra key that says for which image build a profile is meant, and whether what such
// a build cannot use has been left out.
//   "iprofImage": {"target":25,"filtered":true}
//
// Guarantees: what ToJson gives, Parse reads, with any blanks in it; other text is no note. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "writer/image/image_target.h"
#include "writer/model/model.h"

namespace iprof {

inline constexpr std::string_view kImageNoteKey = "iprofImage";

struct ImageNote {
  ImageTarget target = kNewestImageTarget;
  bool filtered = false;
  bool operator==(const ImageNote&) const = default;

  std::string ToJson() const;
  static std::optional<ImageNote> Parse(std::string_view json);
  // Nothing where the profile has none.
  static std::optional<ImageNote> Of(const Profile& profile);
};

}  // namespace iprof
