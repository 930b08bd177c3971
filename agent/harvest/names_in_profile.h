// NamesInProfile: finds the classes and methods of a harvested program in a profile.
//
// Guarantees: pure. A profile has one class of a name, and a program may have several, of different
// loaders: then the one that HotSpot counted most is meant, and the others have no counts. The program
// lists the newest loader first, and after a redeployment its copy has hardly run. Of copies with equal
// counts, the first in the program is meant.
// Threads: any. Failure: nullopt for what is not there or has no stable name; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/harvest/harvested_program.h"
#include "writer/profile/model.h"

namespace iprof::vm {

std::optional<TypeIndex> FindClass(const Profile& profile, const hotspot::HarvestedClass& klass);

// Which class of the program each type of the profile is; kNoClass: none. Previous versions of a class
// are not meant. The program must have HotSpot's own counts yet: SetExactCalls replaces them.
std::vector<uint32_t> ClassesOf(const Profile& profile, const hotspot::HarvestedProgram& program);

// `owner` is the method's class.
std::optional<MethodIndex> FindMethod(const Profile& profile, TypeIndex owner,
                                      const hotspot::HarvestedMethod& method);

}  // namespace iprof::vm
