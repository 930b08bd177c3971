// --target 17|21|23|24|25: the JDK of the GraalVM that builds the image.
//
// Guarantees: the option and its default are the same in every command. Threads: main's.
// Failure: as option_kinds.h.
#pragma once

#include <optional>
#include <string>

#include "cli/terminal/option_list.h"
#include "writer/profile/image/image_note.h"

namespace iprof::cli {

OptionRow AddTarget(OptionList& options, std::string& target);

// The requested target; without one, the target that the file names; without either, the newest.
// Example: TargetOf("21", note) is ImageTarget::k21; TargetOf("", a note of JDK 25) is its target.
ImageTarget TargetOf(const std::string& target, const std::optional<ImageNote>& note);

}  // namespace iprof::cli
