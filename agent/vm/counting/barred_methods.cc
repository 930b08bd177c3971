#include "agent/vm/counting/barred_methods.h"

#include <algorithm>

namespace iprof::vm {
namespace {

template <typename Container>
void EraseRange(Container& from, CounterIndex begin, CounterIndex end) {
  from.erase(from.lower_bound(begin), from.lower_bound(end));
}

}  // namespace

std::optional<WhyKept> BarredMethods::WhyNot(CounterIndex first, const std::string& class_name,
                                             double now_s) const {
  if (unchangeable_.contains(first)) return WhyKept::kUnchangeable;
  const auto missing = not_found_.find(first);
  if (missing != not_found_.end() && missing->second.until_s > now_s) return WhyKept::kUnchangeable;
  const auto swapped = swapped_.find(class_name);
  if (swapped != swapped_.end() &&
      std::any_of(swapped->second.begin(), swapped->second.end(),
                  [&](CounterIndex method) { return swaps_.at(method).count >= kMostSwaps; }))
    return WhyKept::kSwapped;
  const auto resting = not_entered_.find(first);
  if (resting != not_entered_.end() && resting->second > now_s) return WhyKept::kUncalled;
  return std::nullopt;
}

void BarredMethods::NoteNotFound(CounterIndex first, double now_s) {
  Wait& wait = not_found_[first];
  wait.for_s = wait.for_s > 0 ? 2 * wait.for_s : kNotFoundFor;
  wait.until_s = now_s + wait.for_s;
}

void BarredMethods::NoteSwap(const std::string& class_name, std::span<const CounterIndex> froze) {
  std::set<CounterIndex>& methods = swapped_[class_name];
  for (const CounterIndex first : froze) {
    if (methods.insert(first).second) swaps_[first].class_name = class_name;
  }
  for (const CounterIndex method : methods) ++swaps_[method].count;
}

void BarredMethods::NoteThaw() {
  not_entered_.clear();
  swaps_.clear();
  swapped_.clear();
}

void BarredMethods::Release(CounterRange range) {
  const CounterIndex begin = range.first;
  const CounterIndex end{static_cast<uint32_t>(begin) + range.count};
  EraseRange(unchangeable_, begin, end);
  EraseRange(not_found_, begin, end);
  EraseRange(not_entered_, begin, end);
  const auto from = swaps_.lower_bound(begin);
  const auto to = swaps_.lower_bound(end);
  for (auto method = from; method != to; ++method) {
    const auto swapped = swapped_.find(method->second.class_name);
    swapped->second.erase(method->first);
    if (swapped->second.empty()) swapped_.erase(swapped);
  }
  swaps_.erase(from, to);
}

}  // namespace iprof::vm
