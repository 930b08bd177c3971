#include "agent/vm/budget/cost_meter.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "writer/base/open_file.h"
#include "writer/base/small_file.h"

namespace iprof::vm {
namespace {

// Compilers are busy this long after a swap, in intervals of Note; and longer, until they take less than this
// share of the CPU time.
constexpr int kIntervalsAfterSwap = 3;
constexpr int kMostIntervalsAfterSwap = 30;
constexpr double kCalm = 0.05;

// What earlier intervals weigh in counting_share(), relative to the next one. So one interval in which increments seem
// to take all of the time does not decide.
constexpr double kEarlier = 0.75;

// The weight of the newest measurement of the loop.
constexpr double kNewestLoop = 0.1;

uint64_t Nanoseconds(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// The CPU time in the text of /proc/PID/task/TID/stat.
uint64_t CpuNanoseconds(const std::string& stat) {
  // The name, in parentheses, can contain spaces. utime is the 12th field after it.
  size_t at = stat.rfind(')');
  if (at == std::string::npos) return 0;
  ++at;
  for (int field = 0; field < 11; ++field) {
    at = stat.find(' ', at + 1);
    if (at == std::string::npos) return 0;
  }
  char* end = nullptr;
  const uint64_t user = std::strtoull(stat.c_str() + at, &end, 10);
  const uint64_t system = std::strtoull(end, nullptr, 10);
  const long ticks = sysconf(_SC_CLK_TCK);
  return ticks <= 0 ? 0 : (user + system) * (1'000'000'000 / static_cast<uint64_t>(ticks));
}

// Adds the CPU time of the threads of the JVM's compilers and of the agent.
void ReadThreads(CostMeter::Reading& reading) {
  for (const std::string& task : NamesIn("/proc/self/task")) {
    const std::string folder = "/proc/self/task/" + task;
    // "C2 CompilerThre": the kernel keeps 15 characters.
    const std::string name = ReadSmallFile(folder + "/comm").value_or("");
    const bool compiles = name.find(" CompilerThre") != std::string::npos;
    if (!compiles && !name.starts_with("iprof")) continue;
    (compiles ? reading.compilers_cpu_ns : reading.agent_cpu_ns) +=
        CpuNanoseconds(ReadSmallFile(folder + "/stat").value_or(""));
  }
}

double Grown(uint64_t now, uint64_t before) {
  return now > before ? static_cast<double>(now - before) : 0;
}

}  // namespace

double CostMeter::CalibrateIncrement() {
  // As many as a hot loop of a program touches.
  constexpr size_t kCounters = 64;
  constexpr size_t kIncrements = 64'000;
  std::array<volatile uint64_t, kCounters> counters{};
  double best = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const uint64_t begin = Nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < kIncrements; ++i) counters[i % kCounters] = counters[i % kCounters] + 1;
    const uint64_t end = Nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    best = std::min(best, Grown(end, begin) / kIncrements);
  }
  return best;
}

uint64_t CostMeter::ProcessCpuNanoseconds() { return Nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }

CostMeter::Reading CostMeter::ReadClocks() {
  Reading reading{.wall_ns = Nanoseconds(CLOCK_MONOTONIC),
                  .process_cpu_ns = ProcessCpuNanoseconds()};
  ReadThreads(reading);
  return reading;
}

double CostMeter::ShareOf(const Cost& cost) {
  if (cost.own_ns <= 0) return 0;
  return cost.program_ns <= 0 ? kMostShare : std::min(cost.own_ns / cost.program_ns, kMostShare);
}

void CostMeter::Cost::Add(double own, double cpu) {
  const double costs = std::min(own, cpu * kMostShare / (1 + kMostShare));
  own_ns += costs;
  program_ns += cpu - costs;
}

void CostMeter::Restart() { all_ = least_ = most_ = {}; }

void CostMeter::Skip(const Reading& now) {
  last_ = now;
  has_begun_ = true;
}

// Begins an interval: whether compilers work because of a swap in it.
bool CostMeter::BeginInterval(double compiled_ns, double cpu_ns) {
  if (after_swap_ >= kIntervalsAfterSwap && compiled_ns <= kCalm * cpu_ns)
    after_swap_ = kMostIntervalsAfterSwap;
  if (after_swap_ >= kMostIntervalsAfterSwap) return false;
  ++after_swap_;
  return true;
}

// What worse code costs in an interval in which the compilers are calm.
double CostMeter::TakeWorse(double cpu_ns) {
  if (!has_swapped_) return 0;
  const double share = kWorseCode * std::exp2(-calm_ns_ / 1e9 / kWorseForS);
  calm_ns_ += cpu_ns;
  return share * cpu_ns;
}

void CostMeter::BeginSwap() {
  has_swapped_ = true;
  calm_ns_ = 0;
  after_swap_ = 0;
  last_swap_ns_ = 0;
  counting_ = {};
}

void CostMeter::Note(const Reading& now, bool swapped) {
  if (!has_begun_) return Skip(now);
  if (swapped) BeginSwap();
  if (now.loop_ns > 0) loop_ns_ += kNewestLoop * (now.loop_ns - loop_ns_);
  const double cpu = Grown(now.process_cpu_ns, last_.process_cpu_ns);
  const double wall = Grown(now.wall_ns, last_.wall_ns);
  const double increments = Grown(now.increments, last_.increments);
  const double compiled = Grown(now.compilers_cpu_ns, last_.compilers_cpu_ns);
  const double counted = increments * ns_per_increment();
  const double agent = Grown(now.agent_cpu_ns, last_.agent_cpu_ns);
  last_ = now;
  compiled_ns_ += compiled;
  const bool swaps = BeginInterval(compiled, cpu);
  const double compiled_again = swaps ? compiled : 0;
  const double worse = swaps ? 0 : TakeWorse(cpu);
  const double lost = kLostPerCompiled * compiled_again;
  swapped_ns_ += lost;
  last_swap_ns_ += lost;
  if (wall <= 0) return;
  increments_per_s_ = 1e9 * increments / wall;
  const double own = counted + agent + kPaidPerCompiled * compiled_again + worse;
  Cost cost;
  cost.Add(own, cpu);
  last_share_ = ShareOf(cost);
  all_.Add(own, cpu);
  least_.Add(counted / 2 + agent + compiled_again / 2, cpu);
  most_.Add(2 * counted + agent + 2 * compiled_again + 3 * worse, cpu);
  counting_ = {kEarlier * counting_.own_ns, kEarlier * counting_.program_ns};
  counting_.Add(counted, cpu);
  measured_ns_ += std::min(wall, cpu);
}

}  // namespace iprof::vm
