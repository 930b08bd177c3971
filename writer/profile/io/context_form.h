// Context forms: how entries of one position with different callers relate to each other.
//
//   disjoint    the format's rule: 5:0 has the executions that are not in 5:0<8:3 or another longer context
//   inclusive   for consumers that fall back to a shorter context: 5:0 has all executions, also those of 5:0<8:3
//
// The part "contexts" of the section "iprofagent" says that a file is inclusive: "contexts": {"form":"inclusive"}. It is an
// object, because each part is one (agent_section.h). A profile in memory is disjoint: the reader subtracts (ReadProfile).
// Only what is about to be written is inclusive.
//
// Example: f was called 700 times by 8:3, of these 600 times below 9:1, and 50 times by others.
//   disjoint     5:0 50     5:0<8:3 100     5:0<8:3<9:1 600
//   inclusive    5:0 750    5:0<8:3 700     5:0<8:3<9:1 600
//
// Samples are stacks, and the same in all forms.
//
// Guarantees: ToDisjoint(ToInclusive(p)) is p, if each list of classes of p has the largest count first, and equal ones by name, and
// no branch has successors of several shapes or only zeros. Types, methods, their ids and what is known of them stay. Linear in
// the entries times the length of their contexts, and n log n in their lists.
// Threads: any; pure functions. Failure: ToInclusive refuses counts whose sum is too large, and ToDisjoint a context with fewer
// executions than its longer contexts; std::bad_alloc.
#pragma once

#include <span>
#include <string_view>

#include "writer/base/status.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/model.h"

namespace iprof {

// Whether the text is the part of an inclusive profile.
bool IsInclusivePart(std::string_view json);
bool IsInclusive(const Profile& profile);

// Whether an entry of this table has a caller.
bool HasCallers(const Profile& profile, Table table);

// Each position in these tables has one entry, with the sum over all callers.
Profile WithoutCallers(const Profile& disjoint, std::span<const Table> tables = kAllTables);
Result<Profile> ToInclusive(const Profile& disjoint);
Result<Profile> ToDisjoint(const Profile& inclusive);

}  // namespace iprof
