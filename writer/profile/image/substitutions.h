// FindSubstitutions: whether a native image has the same version of a JDK method as the JVM.
//
// An image replaces parts of the JDK with its own code. There, a position in a profile means
// another place in the image's body, or no place: GraalVM's image builder fails with an error if a
// sample's frame is beyond the end of that body.
//
// Guarantees: looks at names only, and allocates nothing. The time is that of searching for the
// class and reading its row.
// Threads: any. Failure: none.
#pragma once

#include <span>
#include <string_view>

#include "writer/profile/image/image_target.h"

namespace iprof {

// The targets whose image has another body or no such method; all others have the JDK's method.
struct Substitution {
  ImageTargets replaced = 0;
  ImageTargets absent = 0;
  bool operator==(const Substitution&) const = default;
};

struct SubstitutionRow;

// What is known of a class's methods; null: nothing. Names as Class.getName() returns them.
const SubstitutionRow* FindSubstitutions(std::string_view class_name);
// Parameters without the receiver.
Substitution SubstitutionIn(const SubstitutionRow* row, std::string_view method,
                            std::span<const std::string_view> parameters);

}  // namespace iprof
