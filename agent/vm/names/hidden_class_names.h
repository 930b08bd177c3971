// HiddenClassNames: what a profile calls classes whose own name differs from run to run.
//
// An interface, so that what turns samples into a profile is tested without the classes of a JVM. Any thread.
#pragma once

#include <optional>
#include <string>

#include "writer/names/typed_names.h"

namespace iprof::vm {

// HotSpot's name of a hidden class or a proxy ("a.B$$Lambda/0x0000000800c03000", in
// Class.getName()'s form) to the name that an image build gives it; nothing where it is not known.
class HiddenClassNames {
 public:
  virtual ~HiddenClassNames() = default;
  virtual std::optional<std::string> StableName(BinaryName hotspot_name) const = 0;
  // The same for a descriptor, "La/B$$Lambda.0x0000000800c03000;".
  virtual std::optional<std::string> StableDescriptor(Descriptor descriptor) const = 0;
};

}  // namespace iprof::vm
