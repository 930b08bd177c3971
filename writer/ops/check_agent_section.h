// CheckAgentSection: the rules about our extra key "iprofagent" (agent_section.h).
//
// Guarantees: reports at most one finding; any JSON text may be passed. A section of a later
// version of this project is only doubtful.
// Threads: any; a pure function. Failure: none but std::bad_alloc.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "writer/ops/check_rules.h"

namespace iprof {

// `member` is the wrong member of the section; empty for the section itself.
using AgentSectionFinding = std::function<void(Rule rule, std::string_view member,
                                               std::string found, std::string expected)>;
void CheckAgentSection(std::string_view json, const AgentSectionFinding& report);

}  // namespace iprof
