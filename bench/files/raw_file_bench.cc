// What one snapshot costs: CPU time and bytes written for 200,000 counters, 20,000 receivers and 5,000
// stacks, by how many of the counters changed since the snapshot before.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
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
constexpr double kPeriodMs = 5000;

// CPU time of this process, in ms.
double CpuMs() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const auto rounds = argc > 2 ? static_cast<int>(std::strtol(argv[2], nullptr, 10)) : 200;
  const std::string path = folder + "/bench." + std::to_string(getpid()) + ".iraw";
  const auto writer = RawWriter::Create([&](int) { return path; }, {}, {});
  if (!writer.ok() || rounds < 1) {
    std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
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
    (*writer)->AddPair(pair, pair / 2, "com.example.app.Type" + std::to_string(pair % 500));
  std::printf("%-32s %10s %14s %18s\n", "counters that changed", "CPU, ms", "written, KiB",
              "% of a CPU at 5 s");
  for (const double share : {1.0, 0.1, 0.01, 0.001, 0.0}) {
    // Programs are hot in few places: those that change are together, in runs of 50.
    const auto runs = static_cast<size_t>(share * kCounters / 50);
    double cpu_ms = 0;
    uint64_t written = 0;
    const int warm_up = 2;  // both copies
    for (int round = -warm_up; round < rounds; ++round) {
      for (size_t run = 0; run < runs; ++run) {
        const size_t first = share < 1 ? random() % (kCounters / 50) : run;
        for (size_t c = 0; c < 50; ++c) ++counters[first * 50 + c];
      }
      const double before = CpuMs();
      const RawPublication done = (*writer)->Publish(
          {.time_ns = round, .counters = counters, .pairs = pairs, .stacks = stacks});
      if (!done.status.ok()) {
        std::fprintf(stderr, "%s\n", done.status.message().c_str());
        return 1;
      }
      if (round < 0) continue;
      cpu_ms += CpuMs() - before;
      written += done.written_bytes;
    }
    std::printf("%-32s %10.3f %14.1f %18.3f\n",
                (std::to_string(share * 100).substr(0, 5) + " %").c_str(), cpu_ms / rounds,
                static_cast<double>(written) / rounds / 1024, 100 * cpu_ms / rounds / kPeriodMs);
  }
  (*writer)->Remove();
  return 0;
}
