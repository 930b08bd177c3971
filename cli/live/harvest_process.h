// HarvestProcess: reads the counters of a running HotSpot JVM from outside.
//
// Guarantees: the process is neither stopped nor changed. A process that has only just started, and
// may be a JVM that is not ready yet, is waited for: five seconds at most.
// Threads: one. Failure: one sentence that names the process and says what helps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/harvest/harvested_program.h"
#include "cli/jvm/process.h"
#include "writer/base/status.h"
#include "writer/profile/io/harvest_note.h"

namespace iprof::cli {

struct ProcessHarvest {
  std::unique_ptr<hotspot::HarvestedProgram> program;
  std::string main_class;
  std::string public_program;  // as a profile may name it
  std::string jdk_version;
  HarvestNote note;                // without the estimator, and the sites that writing leaves out
  std::string unread;              // a warning about a file that a core needs; empty: none
  std::vector<std::string> files;  // that were opened beside a core
  int64_t read_us = 0;             // of processor time, for reading
};

// The processor time that this process has used, in microseconds.
int64_t ProcessorTimeUs();

// Why the memory of the process cannot be read, or success. A process that has no libjvm.so yet is not judged.
Status CheckReadable(const jvm::Process& process);

// `naming_jdk`: the JDK of the image build, which decides how lambdas are named; 0: the JVM's.
Result<ProcessHarvest> HarvestProcess(const jvm::Process& process, int naming_jdk);

}  // namespace iprof::cli
