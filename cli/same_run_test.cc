#include "cli/same_run.h"

#include <catch2/catch.hpp>
#include <utility>

#include "writer/base/utc_time.h"

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
    return FoundSnapshot(path, std::move(of), {}, id);
  }
  // Its snapshot is of the run's end, unless the note has a time.
  Inputs& FoundSnapshot(const std::string& path, std::vector<RunNote> of, SnapshotNote note,
                        RawRunId id = kProcess) {
    if (note.time.empty() && !of.empty()) note.time = UtcText(of.back().end_ms);
    Add({.path = path, .is_found = true, .raw = id}, std::move(of));
    runs.back().snapshot = std::move(note);
    return *this;
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

TEST_CASE("a partial profile in a folder is taken as a raw file is") {
  const auto dumped = Run(kStart, kStart + 5000);
  const auto killed = Run(kStart, kStart + 9000);
  const auto partial = [](Inputs& inputs, const std::string& path, const RunNote& run) {
    inputs.Found(path, {run});
    inputs.runs.back().snapshot = SnapshotNote{.time = UtcText(run.end_ms), .is_partial = true};
  };
  for (const std::string name : {"d/app.iprof.partial", "d/app.iprof.1.partial"}) {
    Inputs newer;
    newer.Found("d/app.iprof", {dumped});
    partial(newer, name, killed);
    CHECK(newer.Said() == "d/app.iprof: " + name + " is of the same run, and newer; ");
  }
  Inputs older;
  older.Found("d/app.iprof.gz", {killed});
  partial(older, "d/app.iprof.gz.partial", dumped);
  CHECK(older.Said() == "d/app.iprof.gz.partial: d/app.iprof.gz is of the same run, and newer; ");
  Inputs recovered;  // what was recovered from it
  partial(recovered, "d/app.iprof.partial", killed);
  partial(recovered, "d/app.iprof", killed);
  CHECK(recovered.Said() == "d/app.iprof.partial: d/app.iprof is of the same run; ");
  // Copies, or of pods that began at the same time.
  Inputs two;
  partial(two, "d/a.iprof.partial", killed);
  partial(two, "d/b.iprof.partial", killed);
  CHECK(two.Said() ==
        "d/b.iprof.partial and d/a.iprof.partial may be of the same run, which would be counted "
        "twice; ");
  Inputs runs;
  partial(runs, "d/app.iprof.partial", killed);
  partial(runs, "d/app.iprof.1.partial", Run(kStart + 20'000, kStart + 21'000));
  CHECK(runs.Said().empty());
}

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
        .Found("d/app.iprof", {Run(kStart, kStart + 5000)});
    CHECK(inputs.Said() ==
          (raw_end == 6000   ? "d/app.iprof: d/app.iraw is of the same run, and newer; "
           : raw_end == 5000 ? "d/app.iraw: d/app.iprof is of the same run; "
                             : "d/app.iraw: d/app.iprof is of the same run, and newer; "));
  }
}

TEST_CASE("a newer raw file with losses does not replace a profile that has none") {
  const auto dumped = Run(kStart, kStart + 5000);
  const auto killed = Run(kStart, kStart + 6000);
  for (const SnapshotNote& note :
       {SnapshotNote{.lost_classes = 1}, SnapshotNote{.lost_counts = 1},
        SnapshotNote{.damaged_records = 1}, SnapshotNote{.without_harvest = true}}) {
    Inputs inputs;
    inputs.Found("d/app.iprof", {dumped}).FoundSnapshot("d/app.iraw", {killed}, note);
    CHECK(inputs.Said() ==
          "d/app.iraw: d/app.iprof is of the same run, and this one is newer, but has losses; ");
    // One that was recovered from the file before lacks as much.
    inputs.runs[0].snapshot = note;
    CHECK(inputs.Said() == "d/app.iprof: d/app.iraw is of the same run, and newer; ");
  }
  // One that was recovered from a file that became full has no more than the file.
  Inputs became_full;
  became_full.Found("d/app.iprof", {dumped})
      .FoundSnapshot("d/app.iraw", {killed}, {.lost_classes = 1, .lost_counts = 7});
  became_full.runs[0].snapshot = SnapshotNote{.generation = 3};
  CHECK(became_full.Said() == "d/app.iprof: d/app.iraw is of the same run, and newer; ");
  // But a dump may have, also beside what was recovered of another run.
  became_full.runs[0].runs.push_back(Run(kStart - 100'000, kStart - 90'000));
  CHECK(FindBetter(became_full.runs[0], std::span(became_full.runs).subspan(1))->why ==
        "has fewer losses");
  // The kill came while the next snapshot was written. Types that did not run, and notes, have no
  // counts.
  for (const SnapshotNote& note :
       {SnapshotNote{.newer_damaged = 1}, SnapshotNote{.lost_other = 2, .lost_notes = 1}})
    CHECK(Inputs()
              .Found("d/app.iprof", {dumped})
              .FoundSnapshot("d/app.iraw", {killed}, note)
              .Said() == "d/app.iprof: d/app.iraw is of the same run, and newer; ");
}

TEST_CASE("of equally new copies, the one with the fewest losses is taken") {
  const auto run = Run(kStart, kStart + 5000);
  const SnapshotNote damaged{.generation = 7, .damaged_records = 2};
  const SnapshotNote whole{.generation = 7};
  Inputs inputs;
  inputs.FoundSnapshot("d/a.iraw", {run}, damaged).FoundSnapshot("d/b.iraw", {run}, whole);
  CHECK(inputs.Said() == "d/a.iraw: d/b.iraw is of the same run; ");
  inputs.runs[0].snapshot->damaged_records = 0;
  inputs.runs[0].snapshot->newer_damaged = 1;
  CHECK(inputs.Said() == "d/a.iraw: d/b.iraw is of the same run; ");
  Inputs newer;
  newer.FoundSnapshot("d/a.iraw", {Run(kStart, kStart + 6000)}, damaged)
      .FoundSnapshot("d/b.iraw", {run}, whole);
  CHECK(newer.Said() == "d/b.iraw: d/a.iraw is of the same run, and newer, but has more losses; ");
}

TEST_CASE("a copy that has lost its note of the run has that of the others") {
  const auto run = Run(kStart, kStart + 5000);
  const SnapshotNote lossy{.time = UtcText(run.end_ms), .lost_other = 1, .lost_notes = 1};
  Inputs copies;
  copies.FoundSnapshot("d/a.iraw", {}, lossy).FoundRaw("d/b.iraw", {run});
  CHECK(copies.Said() == "d/a.iraw: d/b.iraw is of the same run; ");
  Inputs named;
  named.Add({.path = "a.iraw", .raw = kProcess}, {})
      .Add({.path = "b.iraw", .raw = kProcess}, {run});
  CHECK(named.Said() == "a.iraw and b.iraw are of the same run, which is counted twice; ");
  // Of the two recordings of a process that was reset, it is of the one that it can be of.
  Inputs reset;
  reset.FoundRaw("d/a.iraw", {run})
      .FoundRaw("d/b.iraw", {Run(kStart + 5500, kStart + 9000)})
      .FoundSnapshot("d/c.iraw", {}, lossy);
  CHECK(reset.Said() == "d/c.iraw: d/a.iraw is of the same run; ");
}

TEST_CASE("what was recorded before and after a reset is counted") {
  Inputs inputs;
  inputs.FoundRaw("d/before.iraw", {Run(kStart, kStart + 5000)})
      .FoundRaw("d/app.iraw", {Run(kStart + 5000, kStart + 9000)});
  CHECK(inputs.Said().empty());
}

TEST_CASE("a raw file and a profile of other names may be of other processes") {
  const auto run = Run(kStart, kStart + 5000);
  Inputs pods;
  pods.FoundRaw("d/podA.iraw", {run}).Found("d/podB.iprof", {run});
  CHECK(pods.Said() ==
        "d/podA.iraw and d/podB.iprof may be of the same run, which would be counted twice; ");
  for (const std::string profile : {"d/app.iprof", "d/app.iprof.gz", "d/app.1.iprof"}) {
    for (const std::string raw : {"d/app.iraw", "d/app.2.iraw"})
      CHECK(Inputs().FoundRaw(raw, {run}).Found(profile, {run}).Said() ==
            std::string(raw).append(": ").append(profile).append(" is of the same run; "));
  }
  CHECK(Inputs().FoundRaw("d/app.4711.iraw", {run}).Found("d/app.4712.iprof", {run}).Said() ==
        "d/app.4711.iraw and d/app.4712.iprof may be of the same run, which would be counted "
        "twice; ");
  // Two raw files of the same millisecond: the profile is that of its name, or may be that of any.
  const RawRunId other{.pid = 1, .start_ns = kStart * 1'000'000};
  Inputs two;
  two.FoundRaw("d/a.iraw", {run}).FoundRaw("d/b.iraw", {run}, other).Found("d/a.iprof", {run});
  CHECK(two.Said() == "d/a.iraw: d/a.iprof is of the same run; ");
  two.inputs[2].path = "d/c.iprof";
  CHECK(two.Said() ==
        "d/b.iraw and d/c.iprof may be of the same run, which would be counted twice; ");
}

TEST_CASE("what the user named, and what is in another folder, is counted; the user is told") {
  const auto run = Run(kStart, kStart + 5000);
  Inputs named;
  named.Add({.path = "app.iraw", .raw = kProcess}, {run}).Add({.path = "app.iprof"}, {run});
  CHECK(named.Said() == "app.iraw and app.iprof are of the same run, which is counted twice; ");
  Inputs folders;
  folders.FoundRaw("a/app.iraw", {run}).Found("b/app.iprof", {run});
  CHECK(folders.Said() ==
        "a/app.iraw and b/app.iprof may be of the same run, which would be counted twice; ");
  Inputs copies;
  copies.Add({.path = "a.iraw", .raw = kProcess}, {}).Add({.path = "b.iraw", .raw = kProcess}, {});
  CHECK(copies.Said() == "a.iraw and b.iraw are of the same run, which is counted twice; ");
  Inputs one_name;
  one_name.Add({.path = "app.iprof"}, {run}).Add({.path = "app.iprof"}, {run});
  const std::string repeated = "app.iprof was given more than once; it counts each time; ";
  CHECK(one_name.Said() == repeated);
  Inputs of_unknown_runs;
  for (int time = 0; time < 3; ++time) of_unknown_runs.Add({.path = "app.iprof"}, {});
  CHECK(of_unknown_runs.Said() == repeated);
  // But not that it was found twice.
  Inputs found;
  found.Found("d/app.iprof", {run}).Found("d/app.iprof", {run});
  CHECK(found.Said() ==
        "d/app.iprof and d/app.iprof are of the same run, which is counted twice; ");
}

TEST_CASE("profiles are not left out for each other") {
  Inputs dumps;
  dumps.Found("d/1.iprof", {Run(kStart, kStart + 5000)})
      .Found("d/2.iprof", {Run(kStart, kStart + 9000)});
  CHECK(dumps.Said() ==
        "d/1.iprof and d/2.iprof may be of the same run, which would be counted twice; ");
  dumps.inputs[0].path = "d/app.iprof";
  dumps.inputs[1].path = "d/app.1.iprof";
  CHECK(dumps.Said() ==
        "d/app.iprof and d/app.1.iprof are of the same run, which is counted twice; ");
  Inputs merged;
  merged.Found("d/all.iprof", {Run(kStart, kStart + 5000), Run(kStart, kStart + 9000)});
  CHECK(merged.Said().empty());
}

TEST_CASE("of profiles that were recovered from one run, the newest is taken") {
  const auto run = Run(kStart, kStart + 5000);
  Inputs thrice;
  for (const char* const name : {"d/app.1.iprof", "d/app.2.iprof", "d/app.3.iprof.gz"}) {
    thrice.Found(name, {run});
    thrice.runs.back().snapshot = SnapshotNote{.generation = 7};
  }
  CHECK(thrice.Said() ==
        "d/app.2.iprof: d/app.1.iprof is of the same run; "
        "d/app.3.iprof.gz: d/app.1.iprof is of the same run; ");
  thrice.runs[2].runs[0].end_ms += 1000;
  CHECK(thrice.Said() ==
        "d/app.1.iprof: d/app.3.iprof.gz is of the same run, and newer; "
        "d/app.2.iprof: d/app.3.iprof.gz is of the same run, and newer; ");
  // The raw file is still there.
  Inputs with_raw = thrice;
  with_raw.FoundRaw("d/app.iraw", {Run(kStart, kStart + 6000)});
  CHECK(with_raw.Said() ==
        "d/app.1.iprof: d/app.3.iprof.gz is of the same run, and newer; "
        "d/app.2.iprof: d/app.3.iprof.gz is of the same run, and newer; "
        "d/app.iraw: d/app.3.iprof.gz is of the same run; ");
  // Another name may be of another process, and a dump may have more.
  thrice.inputs[0].path = "d/other.iprof";
  thrice.runs[1].snapshot.reset();
  CHECK(thrice.Said() ==
        "d/other.iprof and d/app.2.iprof may be of the same run, which would be counted twice; "
        "d/other.iprof and d/app.3.iprof.gz may be of the same run, which would be counted "
        "twice; ");
  // So may one that has another raw file, which does not tell its run.
  thrice.inputs[0].path = "d/app.1.iprof";
  thrice.runs[0].snapshot->files = 2;
  CHECK(thrice.Said() ==
        "d/app.1.iprof and d/app.2.iprof are of the same run, which is counted twice; "
        "d/app.1.iprof and d/app.3.iprof.gz are of the same run, which is counted twice; ");
}

TEST_CASE("a profile with further runs stays, and a raw file that has no more of one gives way") {
  const auto further = Run(kStart - 100'000, kStart - 90'000);
  for (const int64_t raw_end : {4000, 5000, 6000}) {
    const auto killed = Run(kStart, kStart + raw_end);
    const auto with_raw = [&](const std::string& profile) {
      return Inputs()
          .Found(profile, {further, Run(kStart, kStart + 5000)})
          .FoundRaw("d/app.1.iraw", {killed});
    };
    CHECK(with_raw("d/app.iprof").Said() ==
          (raw_end == 6000
               ? "d/app.iprof and d/app.1.iraw are of the same run, which is counted twice; "
           : raw_end == 5000 ? "d/app.1.iraw: d/app.iprof is of the same run; "
                             : "d/app.1.iraw: d/app.iprof is of the same run, and newer; "));
    CHECK(with_raw("d/all.iprof").Said() ==
          "d/all.iprof and d/app.1.iraw may be of the same run, which would be counted twice; ");
    // One that has the run alone is judged as ever.
    CHECK(with_raw("d/app.iprof").Found("d/app.2.iprof", {Run(kStart, kStart + 5500)}).Said() ==
          (raw_end == 6000
               ? "d/app.2.iprof: d/app.1.iraw is of the same run, and newer; d/app.iprof and "
                 "d/app.1.iraw are of the same run, which is counted twice; "
               : "d/app.1.iraw: d/app.2.iprof is of the same run, and newer; d/app.iprof and "
                 "d/app.2.iprof are of the same run, which is counted twice; "));
  }
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
  for (const std::string profile : {"d/app.iprof", "d/app.iprof.gz", "d/app.1.iprof"}) {
    const std::string left_out = "d/app.iraw: " + profile + " may be of the same run; ";
    CHECK(Inputs().FoundRaw("d/app.iraw", {}).Found(profile, {}).Said() == left_out);
    CHECK(Inputs().FoundRaw("d/app.iraw", {run}).Found(profile, {}).Said() == left_out);
    CHECK(Inputs().FoundRaw("d/app.iraw", {}).Found(profile, {run}).Said() == left_out);
    CHECK(Inputs().FoundRaw("e/app.iraw", {}).Found(profile, {run}).Said().empty());
    // A run without a start is not known.
    CHECK(Inputs().FoundRaw("d/app.iraw", {run}).Found(profile, {Run(0, 0)}).Said() == left_out);
    CHECK(Inputs().FoundRaw("d/app.iraw", {Run(0, 0)}).Found(profile, {run}).Said() == left_out);
    // Of the raw files of a run, one stays.
    CHECK(Inputs()
              .FoundRaw("d/app.iraw", {run})
              .FoundRaw("d/copy.iraw", {Run(kStart, kStart + 4000)})
              .Found(profile, {})
              .Said() == "d/copy.iraw: d/app.iraw is of the same run, and newer; d/app.iraw and " +
                             profile + " may be of the same run, which would be counted twice; ");
    // A profile that cannot be read has no counts.
    Inputs unreadable;
    unreadable.FoundRaw("d/app.iraw", {}).Found(profile, {});
    unreadable.runs[1].was_read = false;
    CHECK(unreadable.Said().empty());
  }
  // The second run of a crash loop has the dump, but nothing says so.
  CHECK(Inputs()
            .FoundRaw("d/app.iraw", {})
            .FoundRaw("d/app.1.iraw", {}, {4712, kStart * 1'000'000})
            .Found("d/app.iprof", {})
            .Said() ==
        "d/app.iraw: d/app.iprof may be of the same run; "
        "d/app.1.iraw: d/app.iprof may be of the same run; ");
  // Names with the number of the process tell them apart.
  CHECK(Inputs().FoundRaw("d/app.4711.iraw", {}).Found("d/app.4712.iprof", {}).Said().empty());
  CHECK(Inputs().FoundRaw("d/app.4711.iraw", {}).Found("d/app.4711.iprof", {}).Said() ==
        "d/app.4711.iraw: d/app.4711.iprof may be of the same run; ");
}

TEST_CASE("all numbers of a name that was taken are known") {
  const auto run = Run(kStart, kStart + 5000);
  const auto said = [&](const std::string& raw, const std::string& profile, int64_t pid) {
    return Inputs().FoundRaw(raw, {run}, {pid, 1}).Found(profile, {run}).Said();
  };
  for (const std::string raw :
       {"d/app.iraw", "d/app.1.1.iraw", "d/app.100.iraw", "d/app.9999.3.iraw"}) {
    for (const std::string profile : {"d/app.iprof", "d/app.1.iprof.gz", "d/app.9999.iprof"})
      CHECK(said(raw, profile, 4711) == raw + ": " + profile + " is of the same run; ");
  }
  const std::string maybe = " may be of the same run, which would be counted twice; ";
  for (const std::string raw :
       {"d/app.12345.iraw", "d/app.x1.iraw", "d/app.1x.iraw", "d/app..iraw", "d/.1.iraw"})
    CHECK(said(raw, "d/app.iprof", 4711) == raw + " and d/app.iprof" + maybe);
  // out=app.%p.iprof, of which another JVM has taken one.
  CHECK(said("d/app.4711.1.iraw", "d/app.4711.iprof", 4711) ==
        "d/app.4711.1.iraw: d/app.4711.iprof is of the same run; ");
  CHECK(said("d/app.4711.iraw", "d/app.471.iprof", 4711) ==
        "d/app.4711.iraw and d/app.471.iprof" + maybe);
  // In a container, a process may well have the number of a name.
  CHECK(said("d/app.1.iraw", "d/app.iprof", 1) == "d/app.1.iraw: d/app.iprof is of the same run; ");
}

TEST_CASE("a newest raw file with losses does not hide an older one that has all of the profile") {
  const SnapshotNote damaged{.damaged_records = 1};
  const auto with_older = [&](int64_t older_end, const SnapshotNote& older) {
    return Inputs()
        .Found("d/app.iprof", {Run(kStart, kStart + 5000)})
        .FoundSnapshot("d/app.iraw", {Run(kStart, kStart + 7000)}, damaged)
        .FoundSnapshot("d/copy.iraw", {Run(kStart, kStart + older_end)}, older)
        .Said();
  };
  CHECK(with_older(6000, {}) ==
        "d/app.iprof: d/copy.iraw is of the same run, and newer; "
        "d/app.iraw: d/copy.iraw is of the same run, and this one is newer, but has losses; ");
  const std::string left_out =
      "d/app.iraw: d/app.iprof is of the same run, and this one is newer, but has losses; "
      "d/copy.iraw: d/app.iprof is of the same run";
  CHECK(with_older(6000, damaged) == left_out + ", and this one is newer, but has losses; ");
  CHECK(with_older(5000, {}) == left_out + "; ");
  CHECK(with_older(4000, {}) == left_out + ", and newer; ");
}

InputRuns Of(std::vector<RunNote> runs, std::optional<SnapshotNote> note = std::nullopt) {
  return {.was_read = true, .runs = std::move(runs), .snapshot = std::move(note)};
}

TEST_CASE("a profile that is better than what a raw file of its run gives") {
  const auto why = [](const InputRuns& profile, const InputRuns& raw) {
    const InputRuns other = Of({Run(kStart + 50'000, kStart + 60'000)}, SnapshotNote());
    const InputRuns raws[] = {other, raw};
    const auto better = FindBetter(profile, raws);
    if (better) CHECK(better->raw == 1);
    return better ? std::string(better->why) : "";
  };
  const auto run = Run(kStart, kStart + 5000);
  const auto later = Run(kStart, kStart + 6000);
  const auto further = Run(kStart - 100'000, kStart - 90'000);
  const SnapshotNote whole;
  const SnapshotNote full{.lost_counts = 3};
  CHECK(why(Of({later}), Of({run}, whole)) == "is newer");
  CHECK(why(Of({run}), Of({run}, whole)) == "is as new");
  CHECK(why(Of({run}), Of({later}, whole)).empty());
  CHECK(why(Of({run}), Of({later}, full)) == "has fewer losses");
  // What was recovered before.
  CHECK(why(Of({later}, whole), Of({run}, whole)) == "is newer");
  CHECK(why(Of({run}, whole), Of({run}, whole)).empty());
  CHECK(why(Of({run}, full), Of({run}, full)).empty());
  CHECK(why(Of({run}, whole), Of({run}, full)) == "has fewer losses");
  CHECK(why(Of({run}, full), Of({later}, full)).empty());
  // The raw file became full: it still has what it had.
  CHECK(why(Of({run}, whole), Of({later}, full)).empty());
  CHECK(why(Of({further, run}, SnapshotNote{.files = 2}), Of({later}, full)) == "has further runs");
  CHECK(why(Of({run}, whole), Of({later}, SnapshotNote{.damaged_records = 1})) ==
        "has fewer losses");
  CHECK(why(Of({run}, whole), Of({later}, SnapshotNote{.lost_notes = 1, .newer_damaged = 1}))
            .empty());
  // Several runs.
  CHECK(why(Of({further, run}), Of({later}, whole)) == "has further runs");
  CHECK(why(Of({further}), Of({run}, whole)).empty());
  // It cannot be known.
  CHECK(why(Of({}), Of({run}, whole)).empty());
  CHECK(why(Of({run}), Of({}, whole)).empty());
  CHECK(why(Of({Run(0, 0)}), Of({Run(0, 0)}, whole)).empty());
}

TEST_CASE("of raw files whose JVMs began in the same millisecond, a profile may be of any") {
  const auto at = [](int64_t end_ms) { return Run(kStart, kStart + end_ms); };
  const InputRuns raws[] = {Of({at(5000)}, SnapshotNote()), Of({at(7000)}, SnapshotNote())};
  CHECK_FALSE(FindBetter(Of({at(6000)}), raws));
  const auto better = FindBetter(Of({at(8000)}), raws);
  REQUIRE(better);
  CHECK(better->why == "is newer");
}

TEST_CASE("what was recovered earlier from the same raw files") {
  const auto run = Run(kStart, kStart + 5000);
  const auto other = Run(kStart + 1, kStart + 6000);
  const InputRuns raws[] = {Of({run}, SnapshotNote()), Of({other}, SnapshotNote())};
  CHECK(IsEarlierResult(Of({run}, SnapshotNote()), raws));
  CHECK(IsEarlierResult(Of({run, other}, SnapshotNote{.files = 2}), raws));
  CHECK(IsEarlierResult(Of({Run(kStart, kStart + 4000)}, SnapshotNote()), raws));
  CHECK_FALSE(IsEarlierResult(Of({Run(kStart, kStart + 5001)}, SnapshotNote()), raws));
  CHECK_FALSE(IsEarlierResult(Of({Run(kStart, kStart + 4000)}), raws));  // a dump
  CHECK_FALSE(IsEarlierResult(Of({Run(kStart + 2, kStart + 3)}, SnapshotNote()), raws));
  CHECK_FALSE(IsEarlierResult(Of({run, Run(1, 2)}, SnapshotNote{.files = 2}), raws));
  CHECK_FALSE(IsEarlierResult(Of({run}, SnapshotNote{.files = 2}), raws));
  CHECK_FALSE(IsEarlierResult(Of({}, SnapshotNote()), raws));
}

TEST_CASE("many inputs of one run give few warnings") {
  Inputs inputs;
  for (int i = 0; i < 100; ++i)
    inputs.Found(std::to_string(i) + ".iprof", {Run(kStart, kStart + 5000 + i)});
  CHECK(FindSameRuns(inputs.inputs, inputs.runs).warnings.size() == 11);
  CHECK(inputs.Said().ends_with("89 more pairs of inputs are or may be of the same run; "));
}

}  // namespace
}  // namespace iprof::cli
