// NamesInProfile: finds the classes and methods of a harvested program in a profile.
//
// Guarantees: pure. Threads: any. Failure: nullopt for what is not there or has no stable name;
// std::bad_alloc.
#pragma once

#include <optional>

#include "agent/hotspot/harvest/harvested_program.h"
#include "writer/model/model.h"

namespace iprof::vm {

std::optional<TypeIndex> FindClass(const Profile& profile, const hotspot::HarvestedClass& klass);

// `owner` is the method's class.
std::optional<MethodIndex> FindMethod(const Profile& profile, TypeIndex owner,
                                      const hotspot::HarvestedMethod& method);

}  // namespace iprof::vm
