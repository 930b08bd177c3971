#include "agent/vm/sampling/line_tables.h"

#include <algorithm>
#include <utility>

namespace iprof::vm {

void LineTables::Add(const void* id, std::vector<LineStart> starts) {
  std::stable_sort(starts.begin(), starts.end(),
                   [](const LineStart& a, const LineStart& b) { return a.bci < b.bci; });
  tables_[id] = std::move(starts);
}

void LineTables::Add(const LineTables& other) {
  for (const auto& [id, starts] : other.tables_) tables_[id] = starts;
  for (const auto& [id, length] : other.lengths_) lengths_[id] = length;
}

size_t LineTables::bytes() const {
  constexpr size_t kNodeBytes = 56;  // of the map, with its bucket
  size_t bytes = lengths_.size() * kNodeBytes;
  for (const auto& [id, starts] : tables_)
    bytes += kNodeBytes + starts.capacity() * sizeof(LineStart);
  return bytes;
}

std::optional<int32_t> LineTables::LineOf(const void* id, int64_t bci) const {
  const auto table = tables_.find(id);
  if (table == tables_.end()) return std::nullopt;
  const auto after = std::upper_bound(table->second.begin(), table->second.end(), bci,
                                      [](int64_t at, const LineStart& s) { return at < s.bci; });
  if (after == table->second.begin()) return std::nullopt;
  return std::prev(after)->line;
}

}  // namespace iprof::vm
