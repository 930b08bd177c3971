#include "writer/ops/check_code_ends.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "writer/profile/io/code_part.h"

namespace iprof {

void CodeEnds::Add(const EntryDecl& entry, const Place& place) {
  if (entry.table == Table::kMonitors) return;
  for (const RawFrame& frame : entry.frames) {
    Reach& reach = reach_[frame.method];
    if (frame.bci <= reach.bci) continue;
    reach.bci = frame.bci;
    reach.place = place;
    reach.place.section = *keys_.emplace(place.section).first;
  }
  if (entry.table != Table::kSamples && !entry.frames.empty())
    reach_[entry.frames.front().method].is_recorded = true;
}

void CodeEnds::Check(std::string_view json, const TextOf& text_of, const Report& report) const {
  std::vector<int64_t> recorded;
  for (const auto& [method, reach] : reach_) {
    if (reach.is_recorded) recorded.push_back(method);
  }
  std::sort(recorded.begin(), recorded.end());
  const std::vector<uint32_t> lengths =
      CodeLengthsIn(json, recorded.size(), [&](size_t m) { return text_of(recorded[m]); });
  for (size_t m = 0; m < lengths.size(); ++m) {
    const Reach& reach = reach_.at(recorded[m]);
    if (lengths[m] == 0 || reach.bci < int64_t{lengths[m]}) continue;
    report(reach.place, fmt::format("bci {} in method {}", reach.bci, recorded[m]),
           fmt::format("less than {}, the length of its code", lengths[m]));
  }
}

}  // namespace iprof
