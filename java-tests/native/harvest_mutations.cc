// harvest_mutations IMAGE FIRST COUNT: harvests the recorded image of a JVM again and again, each time
// with other changes (see ImageMutator; their numbers are FIRST, FIRST + 1 …). For tests.
//
// Each harvest must end, be refused or give profiles without a violation, and must not use many times
// the processor time, the reads and the memory of a harvest of the image as it is. Prints one line at
// the end. Exit status 1: the line on standard error names the mutation.
//
// Crashes and findings of sanitizers name none: the last number on standard error is that of the
// mutation, with IPROF_PRINT_MUTATIONS in the environment.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/harvest/estimate.h"
#include "agent/harvest/harvest.h"
#include "agent/harvest/harvest_profile.h"
#include "agent/harvest/image_mutator.h"
#include "agent/harvest/recorded_image.h"
#include "agent/hotspot/process_libraries.h"
#include "agent/hotspot/remote_jvm.h"
#include "writer/ops/check.h"
#include "writer/profile/image/image_profile.h"
#include "writer/profile/io/writer.h"

namespace iprof::hotspot {
namespace {

// More than any mutation needs, less than a loop without a bound takes.
constexpr uint64_t kMostTimes = 20;
constexpr int64_t kMostMoreSeconds = 5;
constexpr int64_t kMostMoreKb = 256 << 10;

// The mutation that is harvested, as text, for the signal handler.
std::array<char, 32> current{};

// Runs in a signal handler: calls write and _exit only.
void OnTooLong(int) {
  constexpr std::string_view kText = "harvest_mutations: takes too much processor time: mutation ";
  (void)!write(STDERR_FILENO, kText.data(), kText.size());
  (void)!write(STDERR_FILENO, current.data(), std::strlen(current.data()));
  (void)!write(STDERR_FILENO, "\n", 1);
  _exit(1);
}

class CountingMemory final : public Memory {
 public:
  explicit CountingMemory(const Memory& memory) : memory_(memory) {}
  bool Read(Address from, void* into, size_t size) const override {
    ++reads_;
    return memory_.Read(from, into, size);
  }
  uint64_t reads() const { return reads_; }

 private:
  const Memory& memory_;
  mutable uint64_t reads_ = 0;
};

struct Outcome {
  std::string refused;    // why; empty: it was harvested
  std::string violation;  // of a profile; empty: none
  uint64_t reads = 0;
  int64_t cpu_us = 0;
};

int64_t PeakKb() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

int64_t CpuUs() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1'000'000 + used.tv_nsec / 1000;
}

// The first violation, or nothing.
std::string CheckWritten(const HarvestedProgram& program, std::span<const MethodScale> scales,
                         bool for_image) {
  Profile profile;
  profile.AddStandardTypes();
  WriteHarvest(program, scales, {}, profile);
  if (for_image) profile = MakeImageProfile(profile, ImageTargetForJdk(program.major)).profile;
  const Result<std::string> text =
      WriteProfileText(profile, {.version = SmallestVersionFor(profile)});
  if (!text.ok()) return text.status().message();
  std::string first;
  const auto counts = CheckProfileText(*text, {}, [&](const Finding& finding) {
    if (first.empty()) first = finding.path + ": " + finding.found;
  });
  return counts.ok() ? first : counts.status().message();
}

Outcome Harvest(const RecordedImage& image) {
  Outcome outcome;
  const int64_t before_us = CpuUs();
  const CountingMemory memory(image);
  const auto run = [&] {
    const auto jvm = RemoteJvm::Open(memory, BasesOf("libjvm.so", image.maps));
    if (!jvm.ok()) return (void)(outcome.refused = jvm.status().message());
    const auto program = HarvestProgram(memory, (*jvm)->layout(), (*jvm)->flags(), 0);
    if (!program.ok()) return (void)(outcome.refused = program.status().message());
    outcome.violation = CheckWritten(**program, RawScales(**program), false);
    const Estimate estimate = EstimateCalls(**program);
    if (outcome.violation.empty())
      outcome.violation = CheckWritten(**program, estimate.scales, true);
  };
  run();
  outcome.reads = memory.reads();
  outcome.cpu_us = CpuUs() - before_us;
  return outcome;
}

int Fail(const std::string& why) {
  std::cerr << "harvest_mutations: " << why << "\n";
  return 1;
}

int Run(RecordedImage& image, uint64_t first, uint64_t count) {
  ImageMutator mutator(image);
  const int64_t peak_before_kb = PeakKb();
  const Outcome whole = Harvest(image);
  if (!whole.refused.empty()) return Fail("the image as it is was refused: it " + whole.refused);
  if (!whole.violation.empty()) return Fail("the image as it is: " + whole.violation);
  const int64_t most_kb =
      PeakKb() + (PeakKb() - peak_before_kb) * static_cast<int64_t>(kMostTimes) + kMostMoreKb;
  const int64_t most_us = whole.cpu_us * static_cast<int64_t>(kMostTimes);
  std::signal(SIGPROF, OnTooLong);
  uint64_t harvested = 0;
  std::array<uint64_t, 2> most{};  // reads, processor time
  for (uint64_t number = first; number < first + count; ++number) {
    *std::to_chars(current.data(), current.data() + current.size() - 1, number).ptr = '\0';
    if (std::getenv("IPROF_PRINT_MUTATIONS") != nullptr) std::cerr << number << "\n";
    const itimerval limit{{}, {most_us / 1'000'000 + kMostMoreSeconds, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    mutator.Apply(number);
    const Outcome outcome = Harvest(image);
    mutator.Undo();
    most = {std::max(most[0], outcome.reads),
            std::max(most[1], static_cast<uint64_t>(outcome.cpu_us))};
    if (!outcome.violation.empty())
      return Fail(fmt::format("mutation {}: {}", number, outcome.violation));
    if (outcome.reads > whole.reads * kMostTimes) {
      return Fail(fmt::format("mutation {} makes {} reads instead of {}", number, outcome.reads,
                              whole.reads));
    }
    if (PeakKb() > most_kb)
      return Fail(fmt::format("mutation {} takes more than {} KiB", number, most_kb));
    harvested += outcome.refused.empty() ? 1 : 0;
  }
  fmt::print(
      "{} mutations of {} pages: {} harvested and checked, {} refused; at most {:.1f} times the "
      "reads, {:.1f} times the processor time and {} MiB more memory than without\n",
      count, image.pages.size(), harvested, count - harvested,
      static_cast<double>(most[0]) / static_cast<double>(whole.reads),
      static_cast<double>(most[1]) / static_cast<double>(whole.cpu_us),
      (PeakKb() - peak_before_kb) >> 10);
  return 0;
}

std::optional<uint64_t> Number(const char* text) {
  uint64_t number = 0;
  const char* const end = text + std::strlen(text);
  return std::from_chars(text, end, number).ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace
}  // namespace iprof::hotspot

int main(int argc, char** argv) {
  using namespace iprof::hotspot;
  const auto first = argc == 4 ? Number(argv[2]) : std::nullopt;
  const auto count = argc == 4 ? Number(argv[3]) : std::nullopt;
  if (!first || !count) return Fail("usage: harvest_mutations IMAGE FIRST COUNT");
  std::ifstream file(argv[1], std::ios::binary);
  auto image = RecordedImage::From(file);
  if (!image.ok()) return Fail(std::string(argv[1]) + " " + image.status().message());
  return Run(*image, *first, *count);
}
