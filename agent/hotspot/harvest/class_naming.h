// ClassNaming: which name each class has in a profile, and which classes have none.
//
// Guarantees: the names are those of the agent. A lambda has its stable name where it is the only
// one that does what it does in its class. Linkage classes, proxies and generated accessors have
// none. Both are counted. Classes of the agent have none either.
// Threads: one. Failure: a lambda whose code cannot be read has no name.
#pragma once

#include <span>

#include "agent/hotspot/harvest/harvested_program.h"
#include "agent/hotspot/metadata.h"
#include "writer/names/stable_names.h"

namespace iprof::hotspot {

// Names the program's classes, which are those in `listed`, in the same order.
void NameClasses(Metadata& metadata, std::span<const ListedClass> listed, NamingRule rule,
                 HarvestedProgram& program);

}  // namespace iprof::hotspot
