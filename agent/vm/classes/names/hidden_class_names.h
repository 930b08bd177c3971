// HiddenClassNames: the names in a profile for classes whose own name differs from run to run.
//
// It is an interface, so that the code that turns samples into a profile can be tested without a
// JVM's classes.
//
// Guarantees: a class keeps its name while it is loaded. Threads: any. Failure: nullopt if the name
// is not known.
#pragma once

#include <optional>
#include <string>

#include "writer/names/typed_names.h"

namespace iprof::vm {

// Maps HotSpot's name of a hidden class or a proxy ("a.B$$Lambda/0x0000000800c03000", in the form
// of Class.getName()) to the name that an image build gives it, or nullopt.
class HiddenClassNames {
 public:
  virtual ~HiddenClassNames() = default;
  virtual std::optional<std::string> StableName(BinaryName hotspot_name) const = 0;
  // The same for a descriptor, "La/B$$Lambda.0x0000000800c03000;".
  virtual std::optional<std::string> StableDescriptor(Descriptor descriptor) const = 0;
};

}  // namespace iprof::vm
