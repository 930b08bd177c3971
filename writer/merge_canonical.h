// CanonicalProfile: the same profile in the one order that depends on its content alone.
//
// Guarantees: types: the standard ten, then by name; methods by (declaring type's name, name,
// signature's names); entries by their frames, innermost first (method, bci), shorter first;
// receivers by count, largest first, then by name; unknown keys by name. Ids are handed out in that
// order. Two profiles of equal content become equal bytes when written, whatever order their parts
// came in. The order of a site's successors is kept (a switch's triples stand in the order of its
// keys) except where `mixed_shapes` says that inputs disagreed about it: those are sorted by index,
// places before repeated keys (bci -5), then by bci.
#pragma once

#include <vector>

#include "writer/model.h"

namespace iprof {

// mixed_shapes: one flag per conditional entry; missing ones count as false.
Profile CanonicalProfile(const Profile& profile, const std::vector<bool>& mixed_shapes = {});

}  // namespace iprof
