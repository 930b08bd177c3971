// Harvest: reads all classes of a JVM and the counters that HotSpot keeps for its compilers.
//
// Why: HotSpot counts branches, receivers and calls in its interpreter and in code of tier 3. Read
// from outside, these counters are a profile of a JVM that runs without an agent.
//
// Guarantees:
//  - Reads only; the JVM is neither stopped nor changed. It runs on, so a structure that fails a
//    check is read again, after the first pass, and left out and counted if it fails once more.
//  - Classes that the JVM unloads during the read are left out: their memory may have been used again.
//  - The harvest is refused if more than 1 % of the MethodDatas or 0.1 % of their counts fail (see
//    harvest_limits.h). Those of classes that the JVM unloads during the read count on neither side.
//  - The counts that an AOT cache brought from its training run are subtracted, and MethodDatas with which that fails
//    are left out and counted.
//  - Of methods that the agent has changed, only calls and receivers are kept, for an estimate: their
//    positions are those of the changed code. They are counted. The agent's own classes have no names.
//  - The order of classes and methods depends on the order of their definition only.
// Threads: one. Failure: one sentence without a subject, to be put behind "process 4711".
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "agent/harvest/harvested_program.h"
#include "agent/hotspot/bounded_memory.h"
#include "agent/hotspot/memory.h"
#include "agent/hotspot/metadata_layout.h"
#include "agent/hotspot/unchanged_memory.h"
#include "agent/hotspot/vm_flags.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

// Of which methods the program holds the code and all calls, also those that HotSpot did not count.
// Methods without calls are left out where their code is read.
struct CodeChoice {
  // Asked only for classes with a stable name. Null: of none.
  std::function<bool(const HarvestedClass&, const HarvestedMethod&)> keeps = {};
  // What the code is charged to: the memory that is read. Methods whose code does not fit are counted
  // (without_code), and the harvest goes on without it. Null: no limit.
  const BoundedMemory* limit = nullptr;
};

// So many MethodDatas, spread over all, decide how all are read.
inline constexpr size_t kVoters = 2000;

// `memory` must fail reads of bad addresses instead of faulting. `naming_jdk` is the JDK of the
// image build, which decides how lambdas are named; 0: the JVM's. `unchanged`: what the JVM began with, where it has
// mapped files; null: not known, so that counts of a training run are part of the program's.
Result<std::unique_ptr<HarvestedProgram>> HarvestProgram(
    const Memory& memory, const MetadataLayout& layout, const VmFlags& flags, int naming_jdk,
    const CodeChoice& code_choice = {}, const UnchangedMemory* unchanged = nullptr);

}  // namespace iprof::hotspot
