// ClassOriginChoice: whether classes may come to us changed by another agent,
// so that they must be compared with their class files.
//
// Warns the user where another agent is known to come first. Asks the dynamic
// linker which libraries are loaded; any thread, any phase.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/vm/counting/class_origin.h"
#include "agent/vm/counting/counting_plan.h"
#include "agent/vm/settings/log.h"

namespace iprof::vm {

// `arguments` are the JVM's. Null: every class that we see is the class file's
// own.
std::unique_ptr<ClassOrigin> MakeClassOrigin(const std::vector<std::string>& arguments,
                                             const CountingPlan& plan, Log& log);

}  // namespace iprof::vm
