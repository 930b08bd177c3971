#include "cli/jfr/settings.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace iprof::jfr {

std::optional<int64_t> ParseTime(std::string_view text) {
  constexpr std::pair<std::string_view, int64_t> kUnits[] = {{"ns", 1},
                                                             {"us", 1'000},
                                                             {"ms", 1'000'000},
                                                             {"s", 1'000'000'000},
                                                             {"m", 60'000'000'000},
                                                             {"h", 3'600'000'000'000},
                                                             {"d", 86'400'000'000'000}};
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  for (const auto& [unit, ns] : kUnits) {
    if (text == unit && number <= std::numeric_limits<int64_t>::max() / ns) return number * ns;
  }
  return std::nullopt;
}

void Settings::BeginChunk() {
  for (auto& [event, periods] : periods_) {
    if (periods.of_chunk.empty()) continue;
    periods.before = std::ranges::max(periods.of_chunk, {}, &Period::ticks).ns;
    periods.of_chunk.clear();
  }
}

void Settings::Add(std::string_view event, std::string_view name, std::string_view value,
                   int64_t ticks) {
  if (name == "enabled" && value == "true") on_.emplace(event);
  const std::optional<int64_t> time = ParseTime(value);
  if (!time) return;
  if (name == "threshold") thresholds_[std::string(event)].insert(*time);
  if (name != "period") return;
  Periods& periods = periods_[std::string(event)];
  periods.of_chunk.push_back({ticks, *time});
  periods.is_sorted = false;
}

std::optional<int64_t> Settings::PeriodAt(std::string_view event, int64_t ticks) {
  const auto found = periods_.find(event);
  if (found == periods_.end()) return std::nullopt;
  Periods& periods = found->second;
  if (periods.of_chunk.empty()) return periods.before;
  if (!periods.is_sorted) std::ranges::stable_sort(periods.of_chunk, {}, &Period::ticks);
  periods.is_sorted = true;
  const auto after = std::ranges::upper_bound(periods.of_chunk, ticks, {}, &Period::ticks);
  if (after != periods.of_chunk.begin()) return std::prev(after)->ns;
  return periods.before ? *periods.before : after->ns;
}

std::set<int64_t> Settings::Thresholds(std::string_view event) const {
  const auto found = thresholds_.find(event);
  return found == thresholds_.end() || !WasOn(event) ? std::set<int64_t>() : found->second;
}

}  // namespace iprof::jfr
