// ContainerMemory: how much memory the process may use, and the agent's share of it.
//
// The limit is the smallest of the machine's memory and of the limits of the process's control group
// and of all groups above it, version 1 or 2.
//
// Guarantees: reads files only; whatever is missing, unreadable or in another format sets no limit.
// Any thread, any phase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace iprof::vm {

// In bytes; nothing where not even the machine's memory is known. `root` is where /proc and
// /sys/fs/cgroup are; a test has its own.
std::optional<uint64_t> ContainerMemory(const std::string& root = "");

// What the user gave, and what the process may use.
struct MemoryFacts {
  std::optional<uint64_t> memory = {};          // memory=
  std::optional<uint64_t> samples_memory = {};  // samples-memory=
  bool samples = true;
  std::optional<uint64_t> container = {};
  std::optional<uint64_t> max_heap = {};  // -Xmx, or what the JVM makes of the machine
};

// The agent's memory in all is `stacks + rest`.
struct MemoryShares {
  uint64_t stacks = 0;  // of samples
  uint64_t rest = 0;    // everything else: counters in the heap, and what is known of classes
};

// memory= is all that the agent may hold, and samples-memory= is a part of it. Defaults: memory= is
// 256 MB, but at most a tenth of what the process may use and a quarter of the heap's limit;
// samples-memory= is a quarter of memory=, at most 64 MB. A samples-memory= that is given alone
// comes on top of the rest of the default.
MemoryShares ShareMemory(const MemoryFacts& facts);

}  // namespace iprof::vm
