// HarvestFacts: what a harvest says about itself in its profile, but for the estimate and the sites that
// writing it leaves out.
//
// Guarantees: pure, except that NoteOf and one AgeSeconds read the clock.
// Threads: any. Failure: facts that are unknown are 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/harvest/harvested_program.h"
#include "writer/profile/io/harvest_note.h"

namespace iprof::hotspot {

// `age_s`: how long the JVM has run, in seconds; HarvestNote::kUnknownAge if that is not known.
HarvestNote NoteOf(const HarvestedProgram& program, int64_t age_s);

// How long a process has run, in whole seconds, from the content of its /proc/PID/stat. `now_s`: since the system
// started, with the time that it slept.
int64_t AgeSeconds(std::string_view stat, double now_s);
int64_t AgeSeconds(std::string_view stat);

// The processor time that all threads of a process have used, in milliseconds, also those that have ended, from the content of its
// /proc/PID/stat; HarvestNote::kUnknownCpu if it has none.
int64_t CpuMs(std::string_view stat);

}  // namespace iprof::hotspot
