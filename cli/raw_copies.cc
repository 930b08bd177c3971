#include "cli/raw_copies.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "writer/base/utc_time.h"

namespace iprof::cli {
namespace {

// 0: no file tells any.
int64_t StartOf(const RawCopy& file, const std::set<int64_t>& starts) {
  if (file.start_ms > 0 || starts.empty()) return file.start_ms;
  const auto later = starts.upper_bound(ParseUtcText(file.note.time));
  return later == starts.begin() ? *later : *std::prev(later);
}

// Times as texts sort as times do.
auto AgeOf(const RawCopy& file) { return std::tie(file.note.time, file.note.generation); }

// What the snapshot lacks, and then whether there was a newer one.
auto LossesOf(const RawCopy& file) {
  return std::pair(file.note.Losses(), file.note.newer_damaged);
}

bool IsBetter(const RawCopy& a, const RawCopy& b) {
  return AgeOf(a) != AgeOf(b) ? AgeOf(a) > AgeOf(b) : LossesOf(a) < LossesOf(b);
}

std::string_view WhyNot(const RawCopy& copy, const RawCopy& kept) {
  if (AgeOf(copy) == AgeOf(kept))
    return LossesOf(kept) < LossesOf(copy) ? ", and has fewer losses" : "";
  return LossesOf(kept).first > LossesOf(copy).first ? ", and newer, but has more losses"
                                                     : ", and newer";
}

}  // namespace

std::vector<LeftOutCopy> LeaveOutCopies(std::span<const RawCopy> files) {
  std::set<int64_t> starts;
  for (const RawCopy& file : files) {
    if (file.start_ms > 0) starts.insert(file.start_ms);
  }
  std::map<int64_t, size_t> kept;  // by start
  for (size_t i = 0; i < files.size(); ++i) {
    const auto [best, is_first] = kept.try_emplace(StartOf(files[i], starts), i);
    if (!is_first && IsBetter(files[i], files[best->second])) best->second = i;
  }
  std::vector<LeftOutCopy> left_out;
  for (size_t i = 0; i < files.size(); ++i) {
    const size_t best = kept.at(StartOf(files[i], starts));
    if (best != i) left_out.push_back({i, best, WhyNot(files[i], files[best])});
  }
  return left_out;
}

}  // namespace iprof::cli
