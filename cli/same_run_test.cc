#include "cli/same_run.h"

#include <catch2/catch.hpp>
#include <utility>

namespace iprof::cli {
namespace {

constexpr int64_t kStart = 1'700'000'000'000;
constexpr RawRunId kProcess{.pid = 4711, .start_ns = kStart * 1'000'000 + 345};

RunNote Run(int64_t start_ms, int64_t end_ms, const std::string& program = "app.jar") {
  RunNote run;
  run.program = program;
  run.start_ms = start_ms;
  run.end_ms = end_ms;
  return run;
}

class Inputs {
 public:
  Inputs& Add(RunInput input, std::vector<RunNote> of) {
    inputs.push_back(std::move(input));
    runs.push_back({.was_read = true, .runs = std::move(of), .snapshot = {}});
    return *this;
  }
  Inputs& Found(const std::string& path, std::vector<RunNote> of) {
    return Add({.path = path, .is_found = true}, std::move(of));
  }
  Inputs& FoundRaw(const std::string& path, std::vector<RunNote> of, RawRunId id = kProcess) {
    return Add({.path = path, .is_found = true, .raw = id}, std::move(of));
  }
  // One line each, separated by "; ".
  std::string Said() const {
    const SameRuns same = FindSameRuns(inputs, runs);
    std::string text;
    for (const auto& [input, why] : same.left_out) text += inputs[input].path + ": " + why + "; ";
    for (const std::string& warning : same.warnings) text += warning + "; ";
    return text;
  }

  std::vector<RunInput> inputs;
  std::vector<InputRuns> runs;
};

TEST_CASE("a crash loop: the raw file beside a profile is of the run before") {
  // Run 1 was killed; run 2 was dumped into the profile and killed.
  const auto run1 = Run(kStart, kStart + 9000);
  const RawRunId process2{4712, (kStart + 20'000) * 1'000'000};
  Inputs inputs;
  inputs.Found("d/app.iprof", {Run(kStart + 20'000, kStart + 24'000)})
      .FoundRaw("d/app.iraw", {run1})
      .FoundRaw("d/app.1.iraw", {Run(kStart + 20'000, kStart + 29'000)}, process2);
  CHECK(inputs.Said() == "d/app.iprof: d/app.1.iraw is of the same run, and newer; ");
}

TEST_CASE("the newest of a run is taken, and of equally new ones the profile") {
  for (const int64_t raw_end : {4000, 5000, 6000}) {
    Inputs inputs;
    inputs.FoundRaw("d/app.iraw", {Run(kStart, kStart + raw_end)})
        .Found("d/dump.iprof", {Run(kStart, kStart + 5000)});
    CHECK(inputs.Said() ==
          (raw_end == 6000   ? "d/dump.iprof: d/app.iraw is of the same run, and newer; "
           : raw_end == 5000 ? "d/app.iraw: d/dump.iprof is of the same run; "
                             : "d/app.iraw: d/dump.iprof is of the same run, and newer; "));
  }
}

TEST_CASE("what the user named, and what is in another folder, is counted; the user is told") {
  const auto run = Run(kStart, kStart + 5000);
  Inputs named;
  named.Add({.path = "app.iraw", .raw = kProcess}, {run}).Add({.path = "app.iprof"}, {run});
  CHECK(named.Said() == "app.iraw and app.iprof are of the same run, which is counted twice; ");
  Inputs folders;
  folders.FoundRaw("a/app.iraw", {run}).Found("b/app.iprof", {run});
  CHECK(folders.Said() ==
        "a/app.iraw and b/app.iprof are of the same run, which is counted twice; ");
  Inputs copies;
  copies.Add({.path = "a.iraw", .raw = kProcess}, {}).Add({.path = "b.iraw", .raw = kProcess}, {});
  CHECK(copies.Said() == "a.iraw and b.iraw are of the same run, which is counted twice; ");
  Inputs one_name;
  one_name.Add({.path = "app.iprof"}, {run}).Add({.path = "app.iprof"}, {run});
  CHECK(one_name.Said().empty());
}

TEST_CASE("profiles are not left out for each other, and neither is what has further runs") {
  Inputs dumps;
  dumps.Found("d/1.iprof", {Run(kStart, kStart + 5000)})
      .Found("d/2.iprof", {Run(kStart, kStart + 9000)});
  CHECK(dumps.Said() == "d/1.iprof and d/2.iprof are of the same run, which is counted twice; ");
  Inputs merged;
  merged.Found("d/all.iprof", {Run(kStart, kStart + 5000), Run(kStart + 1, kStart + 2)})
      .FoundRaw("d/app.iraw", {Run(kStart, kStart + 9000)});
  CHECK(merged.Said() ==
        "d/all.iprof and d/app.iraw are of the same run, which is counted twice; ");
}

TEST_CASE("other runs are other runs") {
  Inputs inputs;
  inputs.FoundRaw("d/app.iraw", {Run(kStart, kStart + 5000)})
      .Found("d/later.iprof", {Run(kStart + 1, kStart + 5000)})
      .Found("d/other.iprof", {Run(kStart, kStart + 5000, "other.jar")})
      .Found("d/app.iprof", {Run(kStart + 7000, kStart + 9000)});
  CHECK(inputs.Said().empty());
  // They began in the same millisecond.
  Inputs processes;
  processes.FoundRaw("d/a.iraw", {Run(kStart, kStart + 5000)}, {1, kStart * 1'000'000})
      .FoundRaw("d/b.iraw", {Run(kStart, kStart + 5000)}, {1, kStart * 1'000'000 + 1});
  CHECK(processes.Said().empty());
}

TEST_CASE("where runs are not known, names tell that two files may be of one") {
  const auto run = Run(kStart, kStart + 5000);
  const std::string left_out = "d/app.iraw: the profile beside it may be of the same run; ";
  for (const std::string profile : {"d/app.iprof", "d/app.iprof.gz"}) {
    CHECK(Inputs().FoundRaw("d/app.iraw", {}).Found(profile, {}).Said() == left_out);
    CHECK(Inputs().FoundRaw("d/app.iraw", {run}).Found(profile, {}).Said() == left_out);
    CHECK(Inputs().FoundRaw("d/app.iraw", {}).Found(profile, {run}).Said() == left_out);
    CHECK(Inputs().FoundRaw("e/app.iraw", {}).Found(profile, {run}).Said().empty());
    // A profile that cannot be read has no counts.
    Inputs unreadable;
    unreadable.FoundRaw("d/app.iraw", {}).Found(profile, {});
    unreadable.runs[1].was_read = false;
    CHECK(unreadable.Said().empty());
  }
}

TEST_CASE("many inputs of one run give few warnings") {
  Inputs inputs;
  for (int i = 0; i < 100; ++i)
    inputs.Found(std::to_string(i) + ".iprof", {Run(kStart, kStart + 5000 + i)});
  CHECK(FindSameRuns(inputs.inputs, inputs.runs).warnings.size() == 11);
  CHECK(inputs.Said().ends_with("89 more pairs of inputs are of the same run; "));
}

}  // namespace
}  // namespace iprof::cli
