// The native part of `bench/run files`: measures one operation in a new process and prints one JSON
// line. Usage: profile_io_bench make FILE SCALE SEED | read FILE ROUNDS | write FILE ROUNDS | merge
// THREADS FILE... `read` and `write` print the CPU seconds of each round; all print the peak memory
// of the process.
#include <fmt/core.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "writer/base/join_text.h"
#include "writer/ops/merge.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/writer.h"

namespace {

using namespace iprof;

// CPU time of all threads: other processes on the machine do not count.
double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int Fail(const Status& status) {
  fmt::print(stderr, "{}\n", status.message());
  return 1;
}

int Report(const std::vector<double>& seconds, const Profile& profile) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::vector<std::string> texts;
  for (const double each : seconds) texts.push_back(fmt::format("{}", each));
  fmt::print("{{\"seconds\":[{}],\"peak_kb\":{},\"model_bytes\":{}}}\n", JoinText(texts, ","),
             usage.ru_maxrss, profile.MemoryBytes());
  return 0;
}

// The script in this folder passes only digits.
size_t NumberOf(const char* text) { return std::strtoul(text, nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string_view mode = argv[1];
  if (mode == "make" && argc == 5) {
    const Profile profile = MakeShapedProfile(NumberOf(argv[3]), NumberOf(argv[4]));
    const auto report = WriteProfileFile(profile, {}, argv[2]);
    return report.ok() ? 0 : Fail(report.status());
  }
  if (mode == "read" || mode == "write") {
    Result<Profile> profile = ReadProfileFile(argv[2]);
    if (!profile.ok()) return Fail(profile.status());
    std::vector<double> seconds;
    for (size_t round = NumberOf(argv[3]); round > 0; --round) {
      if (mode == "read") *profile = Profile();
      const double start = CpuSeconds();
      if (mode == "read") profile = ReadProfileFile(argv[2]);
      const Status done =
          mode == "read" ? profile.status() : WriteProfileFile(*profile, {}, "/dev/null").status();
      if (!done.ok()) return Fail(done);
      seconds.push_back(CpuSeconds() - start);
    }
    return Report(seconds, *profile);
  }
  if (mode != "merge") return 2;
  std::vector<MergeInput> inputs;
  for (int i = 3; i < argc; ++i) inputs.push_back({argv[i]});
  MergeOptions options;
  options.threads = static_cast<unsigned>(NumberOf(argv[2]));
  const double start = CpuSeconds();
  const Result<MergeResult> merged = MergeFiles(inputs, options);
  if (!merged.ok()) return Fail(merged.status());
  return Report({CpuSeconds() - start}, merged->profile);
}
