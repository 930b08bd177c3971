// PlacedLibrary: the agent's library at a path from which the target can load it.
//
// A library that the target has mapped is named as it is mapped, because the same library under another
// name would be a second agent; so is one whose file was deleted, which the loader then finds by its name.
// Else, where the target sees the very same file and may read it, that is the one. Else it is copied into
// a private folder in the target's /tmp, which is removed when this object goes; a library that was loaded
// stays loaded.
//
// Guarantees: no link of the target's file system leads a copy to another place. Only the target's
// user and root can change the copy. Only a shared library for this processor is taken, as HotSpot switches
// off its stack guards for anything else that it is asked to load.
// Threads: one. Failure: one sentence.
#pragma once

#include <optional>
#include <string>

#include "cli/jvm/jvm_target.h"
#include "cli/jvm/private_folder.h"
#include "writer/base/status.h"

namespace iprof::jvm {

class PlacedLibrary {
 public:
  // The target must outlive it.
  static Result<PlacedLibrary> Place(const JvmTarget& target, const std::string& library);

  const std::string& path() const { return path_; }  // as the target sees it
  bool was_mapped() const { return was_mapped_; }
  bool is_copy() const { return copy_.has_value(); }

 private:
  PlacedLibrary() = default;
  Status CopyFrom(const JvmTarget& target, int library);

  std::string path_;
  bool was_mapped_ = false;
  std::optional<PrivateFolder> copy_;  // where a copy is
};

}  // namespace iprof::jvm
