// FindSubstitution: whether a native image has a method of the JDK as the JVM has it.
//
// An image replaces parts of the JDK by code of its own. A profile's position in such a method means
// another place in the image's body, or none: GraalVM's image builder stops with an error at a
// sample's frame beyond the end of that body.
//
// Guarantees: looks at names only, never fails, allocates nothing, takes the time of a search for
// the class and of reading its row. Any thread.
#pragma once

#include <span>
#include <string_view>

#include "writer/image/image_target.h"

namespace iprof {

// The targets whose image has another body, or no such method; the others have the JDK's own.
struct Substitution {
  ImageTargets replaced = 0;
  ImageTargets absent = 0;
  bool operator==(const Substitution&) const = default;
};

// Names as Class.getName() gives them; parameters without the receiver.
Substitution FindSubstitution(std::string_view class_name, std::string_view method,
                              std::span<const std::string_view> parameters);

}  // namespace iprof
