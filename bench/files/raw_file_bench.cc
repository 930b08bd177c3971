// What one snapshot costs: CPU time and bytes written for 200,000 counters, 20,000 receivers and 5,000
// stacks, by how many of the counters changed since the snapshot before. Usage: raw_file_bench FOLDER ROUNDS
#include <fmt/core.h>

#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "writer/records/raw/raw_writer.h"

namespace {

using iprof::RawPublication;
using iprof::RawWriter;

constexpr size_t kCounters = 200'000;
constexpr size_t kPairs = 20'000;
constexpr size_t kStacks = 5'000;
constexpr int kWarmUp = 2;  // both copies
constexpr double kPeriodMs = 5000;

// CPU time of this process, in ms.
double CpuMs() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string path = std::string(argv[1]) + "/bench.iraw";
  const auto rounds = static_cast<int>(std::strtol(argv[2], nullptr, 10));
  const auto writer = RawWriter::Create([&](int) { return path; }, {}, {});
  if (!writer.ok()) {
    fmt::print(stderr, "cannot write {}\n", path);
    return 1;
  }
  std::mt19937_64 random(1);
  std::vector<uint64_t> counters(kCounters);
  std::vector<uint64_t> pairs(kPairs);
  std::vector<uint64_t> stacks(kStacks);
  for (auto* numbers : {&counters, &pairs, &stacks}) {
    for (uint64_t& number : *numbers) number = 1 + random() % 1'000'000;
  }
  for (uint32_t pair = 0; pair < kPairs; ++pair)
    (*writer)->AddPair(pair, pair / 2, fmt::format("com.example.app.Type{}", pair % 500));
  fmt::print("{:<24} {:>10} {:>14} {:>18}\n", "counters that changed", "CPU, ms", "written, KiB",
             "% of a CPU at 5 s");
  for (const double share : {1.0, 0.1, 0.01, 0.001, 0.0}) {
    // Programs are hot in few places: those that change are together, in runs of 50.
    const auto runs = static_cast<size_t>(share * kCounters / 50);
    double cpu_ms = 0;
    uint64_t written = 0;
    for (int round = -kWarmUp; round < rounds; ++round) {
      for (size_t run = 0; run < runs; ++run) {
        const size_t first = share < 1 ? random() % (kCounters / 50) : run;
        for (size_t c = 0; c < 50; ++c) ++counters[first * 50 + c];
      }
      const double before = CpuMs();
      const RawPublication done = (*writer)->Publish(
          {.time_ns = round, .counters = counters, .pairs = pairs, .stacks = stacks});
      if (!done.status.ok()) {
        fmt::print(stderr, "{}\n", done.status.message());
        return 1;
      }
      if (round < 0) continue;
      cpu_ms += CpuMs() - before;
      written += done.written_bytes;
    }
    fmt::print("{:<24} {:>10.3f} {:>14.1f} {:>18.3f}\n", fmt::format("{:g} %", share * 100),
               cpu_ms / rounds, static_cast<double>(written) / rounds / 1024,
               100 * cpu_ms / rounds / kPeriodMs);
  }
  (*writer)->Remove();
  return 0;
}
