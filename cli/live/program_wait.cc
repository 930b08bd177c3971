#include "cli/live/program_wait.h"

#include <algorithm>
#include <cstdint>

#include "cli/jvm/target_wait.h"
#include "cli/terminal/progress.h"

namespace iprof::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kSlice{100};

milliseconds Since(Clock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

}  // namespace

Ending WaitFor(const Console& console, const jvm::Process& process, const std::string& what,
               std::optional<milliseconds> most, const std::function<bool()>& has_news) {
  const Clock::time_point start = Clock::now();
  Progress progress(console, what);
  for (;;) {
    const milliseconds elapsed = Since(start);
    if (most && elapsed >= *most) return Ending::kTimeIsUp;
    const milliseconds rest = most ? std::min(kSlice, *most - elapsed) : kSlice;
    if (jvm::HeldSignals::Take(rest) != 0) return Ending::kInterrupt;
    if ((has_news && has_news()) || process.HasEnded()) return Ending::kProgramEnded;
    progress.Update(static_cast<uint64_t>(Since(start).count() / 1000),
                    static_cast<uint64_t>(most.value_or(milliseconds(0)).count() / 1000), "s");
  }
}

}  // namespace iprof::cli
