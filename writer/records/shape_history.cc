#include "writer/records/shape_history.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "writer/records/method_values.h"

namespace iprof {
namespace {

uint64_t At(std::span<const uint64_t> counters, size_t index) {
  return index < counters.size() ? counters[index] : 0;
}

uint64_t Grown(std::span<const uint64_t> begin, std::span<const uint64_t> end, size_t index) {
  const uint64_t before = At(begin, index);
  return std::max(At(end, index), before) - before;
}

// A counter weighs as much as it counts, so chance in rare branches does not matter.
bool AreAlike(const ShapeHistory::Shape& a, const ShapeHistory::Shape& b) {
  double difference = 0;
  double all = 0;
  for (size_t i = 0; i < a.increments.size(); ++i) {
    const double in_a = static_cast<double>(a.increments[i]) / a.entries;
    const double in_b = static_cast<double>(At(b.increments, i)) / b.entries;
    difference += std::abs(in_a - in_b);
    all += std::max(in_a, in_b);
  }
  return difference <= ShapeHistory::kSteady * all;
}

}  // namespace

void ShapeHistory::Note(std::span<const uint64_t> begin, std::span<const uint64_t> end) {
  previous_.resize(end.size());
  for (size_t i = 0; i < end.size(); ++i) previous_[i] = Grown(begin, end, i);
}

void ShapeHistory::Forget(CounterRange range) {
  const auto first = static_cast<size_t>(range.first);
  for (size_t i = first; i < std::min(first + range.count, previous_.size()); ++i) previous_[i] = 0;
}

ShapeHistory::Verdicts ShapeHistory::Examine(const ClassSource& classes,
                                             std::span<const uint64_t> begin,
                                             std::span<const uint64_t> now,
                                             std::span<const CounterIndex> methods,
                                             const EarlierShape& earlier) const {
  const std::unordered_set<CounterIndex> asked(methods.begin(), methods.end());
  Verdicts verdicts;
  MethodValues values;
  std::vector<uint64_t> increments;
  const auto entries = [&](std::span<const uint64_t> shape) {
    values.Derive([&](uint32_t i) { return At(shape, i); });
    return values.Entries();
  };
  for (size_t number = 0; number < classes.size(); ++number) {
    ClassRecord scratch;
    const ClassRecord& c = classes.Get(number, scratch);
    for (const CountedMethod& m : c.methods) {
      if (m.counters == 0 || !asked.contains(m.first) || !values.Decode(c, m)) continue;
      const auto first = static_cast<size_t>(m.first);
      increments.clear();
      for (uint32_t i = 0; i < m.counters; ++i) increments.push_back(Grown(begin, now, first + i));
      const Shape current{increments, entries(increments)};
      double all = 0;
      for (const uint64_t counted : increments) all += static_cast<double>(counted);
      if (all > kLongLoop * current.entries) verdicts.looping.push_back(m.first);
      if (current.entries <= 0 || first + m.counters > previous_.size()) continue;
      Shape before{std::span(previous_).subspan(first, m.counters)};
      before.entries = entries(before.increments);
      if (before.entries <= 0) before = earlier(m.first).value_or(Shape{});
      if (before.entries > 0 && AreAlike(current, before)) verdicts.steady.push_back(m.first);
    }
  }
  return verdicts;
}

}  // namespace iprof
