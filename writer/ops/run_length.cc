#include "writer/ops/run_length.h"

#include <algorithm>

#include "writer/profile/io/run_note.h"
#include "writer/profile/model.h"

namespace iprof {
namespace {

constexpr double kClearlyLonger = 1.2;
constexpr double kAddedBelow = 0.9;

int64_t RecordedMs(const std::vector<RunNote>& runs) {
  int64_t sum = 0;
  for (const RunNote& run : runs) sum = SaturatingAdd(sum, std::max<int64_t>(run.recorded_ms, 0));
  return sum;
}

// Whether both are dumps of one recording.
bool AreOneRecording(const std::vector<RunNote>& a, const std::vector<RunNote>& b) {
  return a.size() == 1 && b.size() == 1 && !a[0].run.empty() && a[0].run == b[0].run;
}

double Growth(const std::pair<int64_t, int64_t>& counts) {
  return static_cast<double>(counts.second) / static_cast<double>(counts.first);
}

}  // namespace

LongerRun LongerOf(const Profile& a, const Profile& b) {
  const RunList list_a = RunList::Of(a);
  const RunList list_b = RunList::Of(b);
  if (list_a.older() > 0 || list_b.older() > 0) return LongerRun::kNeither;
  const std::vector<RunNote> runs_a = list_a.Runs();
  const std::vector<RunNote> runs_b = list_b.Runs();
  const auto ms_a = static_cast<double>(RecordedMs(runs_a));
  const auto ms_b = static_cast<double>(RecordedMs(runs_b));
  if (ms_a <= 0 || ms_b <= 0) return LongerRun::kNeither;
  const double clearly = AreOneRecording(runs_a, runs_b) ? 1 : kClearlyLonger;
  if (ms_b > clearly * ms_a) return LongerRun::kB;
  if (ms_a > clearly * ms_b) return LongerRun::kA;
  return LongerRun::kNeither;
}

double GrowthOfRepeatedWork(std::vector<std::pair<int64_t, int64_t>> counts) {
  // What only one of the runs did says nothing about its length.
  std::erase_if(counts,
                [](const auto& pair) { return pair.first <= 0 || pair.second <= pair.first; });
  std::sort(counts.begin(), counts.end(),
            [](const auto& x, const auto& y) { return Growth(x) < Growth(y); });
  double all = 0;
  for (const auto& [shorter, longer] : counts) all += static_cast<double>(longer - shorter);
  double below = 0;
  for (const auto& pair : counts) {
    below += static_cast<double>(pair.second - pair.first);
    if (below >= kAddedBelow * all) return Growth(pair);
  }
  return 1;
}

}  // namespace iprof
