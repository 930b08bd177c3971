#include "writer/records/first_seen.h"

#include <algorithm>

namespace iprof {

void FirstSeen::Note(std::span<const uint64_t> counters) {
  if (seen_.size() < counters.size()) seen_.resize(counters.size(), 0);
  const uint16_t next = readings_ == kMost ? kMost : static_cast<uint16_t>(readings_ + 1);
  bool any = false;
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (i >= counters.size() || counters[i] == 0) {
      seen_[i] = 0;
    } else if (seen_[i] == 0) {
      seen_[i] = next;
      any = true;
    }
  }
  if (any) readings_ = next;
}

void FirstSeen::NoteNew(std::span<const uint32_t> counters) {
  if (counters.empty()) return;
  if (readings_ != kMost) ++readings_;
  const size_t end = size_t{*std::ranges::max_element(counters)} + 1;
  if (seen_.size() < end) seen_.resize(end, 0);
  for (const uint32_t counter : counters) seen_[counter] = readings_;
}

std::vector<uint32_t> FirstSeen::NewIn(uint16_t reading) const {
  std::vector<uint32_t> counters;
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i] == reading) counters.push_back(static_cast<uint32_t>(i));
  }
  return counters;
}

uint16_t EarliestOf(std::span<const uint16_t> by_counter, CounterRange counters) {
  const size_t first = std::min(static_cast<size_t>(counters.first), by_counter.size());
  const size_t count = std::min({size_t{counters.count}, kMostLooked, by_counter.size() - first});
  uint16_t earliest = 0;
  for (const uint16_t seen : by_counter.subspan(first, count)) {
    if (seen != 0 && (earliest == 0 || seen < earliest)) earliest = seen;
  }
  return earliest;
}

void FirstCallOrder::Note(MethodIndex method, CounterRange counters) {
  const uint16_t seen = EarliestOf(by_counter_, counters);
  if (seen == 0) return;
  const std::pair made(seen, counters.first);
  const auto [known, is_new] = first_.try_emplace(method, made);
  if (!is_new) known->second = std::min(known->second, made);
}

void FirstCallOrder::WriteTo(Profile& profile) const {
  std::vector<std::pair<std::pair<uint16_t, CounterIndex>, MethodIndex>> order;
  for (const auto& [method, first] : first_) order.emplace_back(first, method);
  std::ranges::sort(order);
  int64_t rank = 0;
  for (const auto& [first, method] : order) profile.AddFirstCall(method, {++rank, 1});
}

}  // namespace iprof
