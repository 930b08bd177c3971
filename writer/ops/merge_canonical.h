// CanonicalProfile: the same profile in an order that depends only on its content.
//
// Guarantees: types: the standard ten, then by name; methods by (declaring type's name, name,
// signature's names); entries by their frames, innermost first (method, bci), shorter first;
// receivers by count, largest first, then by name; unknown keys by name. Ids are assigned in that
// order. Two profiles with equal content give equal bytes when written, for every original order
// of their parts. The order of a site's successors is kept: the triples of a switch are in the
// order of its keys, and if inputs differed, adding them up has already given a canonical order
// (branch_outcomes.h).
// Threads: any, while no other thread changes the profile. Failure: none but std::bad_alloc.
#pragma once

#include "writer/profile/model.h"

namespace iprof {

Profile CanonicalProfile(const Profile& profile);

}  // namespace iprof
