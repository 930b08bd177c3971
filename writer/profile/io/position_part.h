// The part "positions" of a profile's section "iprofagent": source lines of the profile's positions, at virtual calls
// the name of the method that the call names, and the rest of sites that do not list all classes. The format has bytecode positions only, and the class files that have the
// rest are seldom there where a profile is read.
//   "positions": {"of":"c0FFee","lines":"yCGIE-","callees":"DHC","names":["java.util.List.get"],"rests":"HoD"}
//
// The positions are those of all frames in all entries, and of all successors of branches, ordered by the method's id,
// then by bci. "of" is a hash of them, by which a reader notices that another program changed the profile. "lines" has
// for each the signed difference from the last known line, or '-' (digits.h). "callees" has a number for each position
// of a virtual call: 2 * id + 1 of a method of the profile with the callee's class and name; otherwise 2 * n of the n-th
// name, from 1 on; 0: not known. "rests" has two numbers for each position with a rest: how many positions
// are between it and the one before, and the rest per mille (PositionNotes).
//
// Older profiles have the lines of sampled positions by name, in the part "lines" (source_lines.h).
//
// Guarantees: LoadPositionNotes reads what WritePositionNotes writes, for any profile, and older parts. A part that does
// not fit adds nothing. WritePositionNotes writes no part if no note is known, and removes the older one.
// Threads: any, while no other thread uses the profile. Failure: see the result; std::bad_alloc.
#pragma once

#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

struct ProfilePosition {
  Frame frame;
  bool is_call = false;  // a virtual call
};

// The positions that the part is about, in its order.
std::vector<ProfilePosition> PositionsOf(const Profile& profile);

// Sets the profile's notes (Profile::notes).
void LoadPositionNotes(Profile& profile);
// Makes the part from the notes.
void WritePositionNotes(Profile& profile);

// Whether the text has the shape of the part.
bool IsPositionPart(std::string_view json);

}  // namespace iprof
