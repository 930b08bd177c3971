// HotClasses: the classes of a profile that do most of the work.
//
// A class's work is the calls of its methods and the outcomes of their branches, as an image build weighs
// methods.
//
// Guarantees: the fewest classes that do this share, and all that do as much as the last of them. The order
// of the profile's entries makes no difference. Pure. Threads: any. Failure: std::bad_alloc.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "writer/profile/model.h"

namespace iprof::vm {

// Names as Class.getName() has them. `share`: 0 to 1.
using ClassNames = std::set<std::string, std::less<>>;
ClassNames HotClasses(const Profile& profile, double share);

}  // namespace iprof::vm
