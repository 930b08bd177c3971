// CanonicalProfile: the same profile in the one order that depends on its content alone.
//
// Guarantees: types: the standard ten, then by name; methods by (declaring type's name, name,
// signature's names); entries by their frames, innermost first (method, bci), shorter first;
// receivers by count, largest first, then by name; unknown keys by name. Ids are handed out in that
// order. Two profiles of equal content become equal bytes when written, whatever order their parts
// came in. The order of a site's successors is kept: a switch's triples stand in the order of its
// keys, and where inputs disagreed, adding them up has given the one order (branch_outcomes.h).
#pragma once

#include "writer/model/model.h"

namespace iprof {

Profile CanonicalProfile(const Profile& profile);

}  // namespace iprof
