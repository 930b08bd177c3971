#include "agent/instrument/table/memory_budget.h"

#include <fmt/core.h>

#include <string_view>

namespace iprof::instrument {
namespace {

constexpr std::array<std::string_view, kMemoryParts> kTitles{
    "counters",         "sites",         "types seen lately", "class loaders",   "classes",
    "unloaded classes", "types",         "generated names",   "watched classes", "methods",
    "method ids",       "compiled code", "counts left out",   "weights",         "raw file",
    "estimates",        "contexts",      "threads",           "events"};

}  // namespace

uint64_t MemoryBudget::Used() const {
  uint64_t sum = 0;
  for (const auto& part : used_) sum += part.load(std::memory_order_relaxed);
  return sum;
}

uint64_t MemoryBudget::UsedHeap() const {
  return Used(MemoryPart::kCounters) + Used(MemoryPart::kSites) + Used(MemoryPart::kSpill) +
         Used(MemoryPart::kLoaders);
}

uint64_t MemoryBudget::Left() const {
  const uint64_t used = Used();
  const uint64_t most = limit();
  return used < most ? most - used : 0;
}

bool MemoryBudget::HasRoom(uint64_t bytes) {
  if (bytes <= Left()) return true;
  refusals_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

std::string MemoryBudget::Report() const {
  std::string parts;
  for (size_t p = 0; p < kMemoryParts; ++p) {
    const uint64_t bytes = used_[p].load(std::memory_order_relaxed);
    if (bytes == 0) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", kTitles[p], (bytes + 1023) / 1024);
  }
  return fmt::format("memory: {} KiB of {}: {}\n", (Used() + 1023) / 1024, limit() / 1024,
                     parts.empty() ? "nothing" : parts);
}

}  // namespace iprof::instrument
