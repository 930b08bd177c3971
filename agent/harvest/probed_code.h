// ProbedCode: recognises code that the agent has changed, in this process or another one.
//
// Why: positions in such code are not those of the class file, and its branches are partly the
// agent's. Each change refers to a class or member of the agent (own_classes.h).
//
// Guarantees: pure reads. Threads: one. Failure: a reference that cannot be read is taken for the
// program's own.
#pragma once

#include "agent/harvest/harvested_program.h"
#include "agent/hotspot/metadata.h"
#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {

bool IsOwn(const PoolMember& member);

// Whether the program has classes of the agent. Without them no code has probes.
bool HasAgentClasses(const HarvestedProgram& program);
bool HasProbes(Metadata& metadata, const Pool& pool, const OriginalCode& code);

}  // namespace iprof::hotspot
