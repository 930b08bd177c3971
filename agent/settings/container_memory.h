// ContainerMemory: how much memory the process may use, and the agent's share of it.
//
// The limit is the smallest of the machine's memory and of the limits of the process's control
// group and all its parents, version 1 or 2.
//
// Guarantees: changes nothing. Threads: any, in any phase.
// Failure: a file that is missing, unreadable or in another format sets no limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace iprof::vm {

std::optional<uint64_t> MachineMemory();

// The limit in bytes; nullopt if nothing limits the process and `machine` is unknown. `root` is the
// directory that contains /proc and /sys/fs/cgroup; tests have their own.
std::optional<uint64_t> ContainerMemory(std::optional<uint64_t> machine = MachineMemory(),
                                        const std::string& root = "");

// What the user asked for, and what the process may use.
struct MemoryFacts {
  std::optional<uint64_t> memory = {};          // memory=
  std::optional<uint64_t> samples_memory = {};  // samples-memory=
  bool samples = true;
  std::optional<uint64_t> container = {};
  std::optional<uint64_t> max_heap = {};  // -Xmx, or the JVM's default for this machine
};

// The agent's total memory is `stacks + rest`.
struct MemoryShares {
  uint64_t stacks = 0;  // for sampled stacks
  uint64_t rest = 0;  // everything else: counters in the heap, and what the agent knows of classes
};

// memory= limits all memory of the agent, and samples-memory= is a part of it. The default of
// memory= is 256 MB, but at most a tenth of what the process may use and a quarter of the heap's
// limit. The default of samples-memory= is a quarter of memory=, but at most 64 MB. If only
// samples-memory= is given, it is added to the rest of the default.
MemoryShares ShareMemory(const MemoryFacts& facts);

}  // namespace iprof::vm
