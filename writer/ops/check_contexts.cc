#include "writer/ops/check_contexts.h"

#include <fmt/core.h>

#include <algorithm>

namespace iprof {
namespace {

// Which of the integers of an entry are counts: the last one of each group.
size_t GroupOf(Table table) {
  switch (RecordKindOf(table)) {
    case RecordKind::kCount:
      return 1;
    case RecordKind::kSuccessors:
      return 3;
    case RecordKind::kTypeCounts:
      break;
  }
  return 2;
}

}  // namespace

void ContextSums::Add(const EntryDecl& entry, const Place& place,
                      std::span<const ContextKey> prefixes) {
  if (entry.table == Table::kMonitors || entry.table == Table::kSamples) return;
  int64_t total = 0;
  const size_t group = GroupOf(entry.table);
  for (size_t i = group; i <= entry.values.size(); i += group)
    total = SaturatingAdd(total, std::max<int64_t>(entry.values[i - 1], 0));
  Entry made{total, place, {prefixes.begin(), prefixes.end()}};
  made.place.section = *keys_.emplace(place.section).first;
  entries_[static_cast<size_t>(entry.table)].push_back(std::move(made));
}

void ContextSums::Check(const Report& report) const {
  for (const std::vector<Entry>& entries : entries_) {
    std::unordered_map<ContextKey, int64_t, ContextKeyHash> longer;  // sums of the next longer ones
    for (const Entry& entry : entries) longer.emplace(entry.prefixes.back(), 0);
    for (const Entry& entry : entries) {
      for (size_t p = entry.prefixes.size() - 1; p-- > 0;) {
        const auto shorter = longer.find(entry.prefixes[p]);
        if (shorter == longer.end()) continue;
        shorter->second = SaturatingAdd(shorter->second, entry.total);
        break;
      }
    }
    for (const Entry& entry : entries) {
      const int64_t expected = longer.at(entry.prefixes.back());
      if (entry.total < expected)
        report(entry.place, fmt::format("{}", entry.total),
               fmt::format("at least {}, the sum of its longer contexts", expected));
    }
  }
}

}  // namespace iprof
