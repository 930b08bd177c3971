// The part of `iprof show` that says where a profile comes from: its runs and the sampler's statistics.
//
// Guarantees, threads and failure: as show.h. Nothing is printed for a profile that has none of it.
#pragma once

#include "cli/terminal/console.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/profile/io/agent_section.h"

namespace iprof::cli {

void PrintProvenance(Console& console, const AgentSection& section, const Layout& layout);
// The members "runs" and "older_runs" of an object; none if it has no runs.
void PrintProvenance(JsonText& json, const AgentSection& section);

}  // namespace iprof::cli
