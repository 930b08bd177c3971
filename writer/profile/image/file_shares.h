// FileShares: how much of a file image builds can use, counted while the file is streamed.
//
// Guarantees: counts for every target at once, because the file's own note comes after the tables.
// Entries whose methods are not declared are not counted at all. Memory: about 30 bytes per method.
// Threads: one. Failure: a section that cannot be read has no note; std::bad_alloc.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "writer/profile/image/image_note.h"
#include "writer/profile/image/image_share.h"
#include "writer/profile/image/image_use.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/profile_events.h"

namespace iprof {

struct ImageShares {
  std::array<ImageShare, std::size(kImageTargets)> by_target;
  std::optional<ImageNote> note;  // the note in the file
  const ImageShare& Of(ImageTarget target) const { return by_target[static_cast<size_t>(target)]; }
};

class FileShares {
 public:
  void AddMethod(int64_t id, const MethodUse& use) { uses_.emplace(id, use); }
  void AddEntry(const EntryDecl& entry);
  void AddKey(std::string_view key, std::string_view json);
  const ImageShares& shares() const { return shares_; }
  // Of the keys that were added.
  const AgentSection& section() const { return section_; }

 private:
  ImageShares shares_;
  AgentSection section_;
  std::unordered_map<int64_t, MethodUse> uses_;
  std::vector<const MethodUse*> frames_;
};

}  // namespace iprof
