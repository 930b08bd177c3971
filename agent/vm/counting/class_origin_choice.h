// ClassOriginChoice: whether another agent may change classes before us, so that they must be
// compared with their class files.
//
// Guarantees: warns the user if another agent is known to come first. Threads: any, in any phase;
// it asks the dynamic linker which libraries are loaded. Failure: none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/settings/log.h"
#include "agent/vm/classes/class_origin.h"
#include "agent/vm/counting/counting_plan.h"

namespace iprof::vm {

// `arguments` are the JVM's. Returns null if every class that we see is that of the class file.
std::unique_ptr<ClassOrigin> MakeClassOrigin(const std::vector<std::string>& arguments,
                                             const CountingPlan& plan, Log& log);

}  // namespace iprof::vm
