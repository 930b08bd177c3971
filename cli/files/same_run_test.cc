#include "cli/files/same_run.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace iprof::cli {
namespace {

RunNote Run(const std::string& run, int64_t end_ms) {
  RunNote note;
  note.run = run;
  note.program = "app.jar";
  note.start_ms = 1'700'000'000'000;
  note.end_ms = end_ms;
  return note;
}

// That says nothing else of itself.
RunNote Bare(const std::string& run) {
  RunNote note;
  note.run = run;
  return note;
}

const SnapshotNote kWhole{.generation = 7};
const SnapshotNote kFull{.generation = 7, .lost_counts = 3};
const SnapshotNote kDamaged{.generation = 7, .damaged_records = 2};

InputRuns Dump(std::vector<RunNote> runs) { return {.was_read = true, .runs = std::move(runs)}; }
InputRuns Raw(std::vector<RunNote> runs, const SnapshotNote& note = kWhole) {
  return {.was_read = true, .runs = std::move(runs), .snapshot = note};
}

struct Inputs {
  std::vector<MergeInput> inputs;
  std::vector<InputRuns> runs;

  Inputs& Add(const std::string& path, InputRuns of, bool is_found) {
    inputs.push_back({.path = path, .is_found = is_found});
    runs.push_back(std::move(of));
    return *this;
  }
  Inputs& Found(const std::string& path, InputRuns of) { return Add(path, std::move(of), true); }
  Inputs& Named(const std::string& path, InputRuns of) { return Add(path, std::move(of), false); }
  // One line each, separated by "; ".
  std::string Said() const {
    const SameRuns same = FindSameRuns(inputs, runs);
    std::string text;
    for (const auto& [input, why] : same.left_out) text += inputs[input].path + ": " + why + "; ";
    for (const std::string& warning : same.warnings) text += warning + "; ";
    return text;
  }
};

// Of a dump at 5, and a raw file.
std::string WithRaw(int64_t end_ms, const SnapshotNote& note) {
  return Inputs()
      .Found("d", Dump({Run("r", 5)}))
      .Found("raw", Raw({Run("r", end_ms)}, note))
      .Said();
}

TEST_CASE("the newest of a run is taken, and of equally new ones the dump") {
  CHECK(WithRaw(4, kWhole) == "raw: d is of the same run, and newer; ");
  CHECK(WithRaw(5, kWhole) == "raw: d is of the same run; ");
  CHECK(WithRaw(5, kFull) == "raw: d is of the same run, and has fewer losses; ");
  CHECK(WithRaw(6, kWhole) == "d: raw is of the same run, and newer; ");
  CHECK(Inputs().Found("a/1", Dump({Run("r", 5)})).Found("b/2", Dump({Run("r", 6)})).Said() ==
        "a/1: b/2 is of the same run, and newer; ");
  // A crash loop: two runs, and a dump of the second.
  CHECK(Inputs()
            .Found("d", Dump({Run("b", 5)}))
            .Found("raw", Raw({Run("a", 9)}))
            .Found("raw.1", Raw({Run("b", 7)}))
            .Said() == "d: raw.1 is of the same run, and newer; ");
}

TEST_CASE("a newer snapshot that lacks counts does not replace a dump") {
  for (const SnapshotNote& note :
       {SnapshotNote{.lost_classes = 1}, SnapshotNote{.lost_counts = 1},
        SnapshotNote{.damaged_records = 1}, SnapshotNote{.without_harvest = true}}) {
    CHECK(WithRaw(6, note) == "raw: d is of the same run, and this one is newer, but has losses; ");
    // What was recovered from the file before lacks as much.
    Inputs inputs;
    inputs.Found("d", Raw({Run("r", 5)}, note)).Found("raw", Raw({Run("r", 6)}, note));
    CHECK(inputs.Said() == "d: raw is of the same run, and newer; ");
  }
  // Types that did not run, and notes, have no counts; nor has a snapshot that was not complete.
  const SnapshotNote others{.lost_other = 2, .lost_notes = 1};
  CHECK(WithRaw(6, others) == "d: raw is of the same run, and newer, but has more losses; ");
  CHECK(WithRaw(6, {.newer_damaged = 1}) == "d: raw is of the same run, and newer; ");
  // An older one may do.
  const auto with_older = [](int64_t end_ms, const SnapshotNote& note) {
    Inputs inputs;
    inputs.Found("d", Dump({Run("r", 5)})).Found("raw", Raw({Run("r", 7)}, kDamaged));
    return inputs.Found("copy", Raw({Run("r", end_ms)}, note)).Said();
  };
  const std::string newer = ", and this one is newer, but has losses; ";
  CHECK(with_older(6, kWhole) ==
        "d: copy is of the same run, and newer; raw: copy is of the same run" + newer);
  const std::string raw = "raw: d is of the same run" + newer + "copy: d is of the same run";
  CHECK(with_older(6, kDamaged) == raw + newer);
  CHECK(with_older(4, kWhole) == raw + ", and newer; ");
}

TEST_CASE("of snapshots the newest is taken, and of equally new ones that with the fewest losses") {
  const auto said = [](const InputRuns& a, const InputRuns& b) {
    return Inputs().Found("a", a).Found("b", b).Said();
  };
  const std::vector<RunNote> run = {Run("r", 5)};
  CHECK(said(Raw(run), Raw(run)) == "b: a is of the same run; ");
  CHECK(said(Raw(run, kDamaged), Raw(run)) == "a: b is of the same run, and has fewer losses; ");
  CHECK(said(Raw(run, {.generation = 7, .newer_damaged = 1}), Raw(run)) ==
        "a: b is of the same run, and has fewer losses; ");
  CHECK(said(Raw(run), Raw(run, {.generation = 8})) == "a: b is of the same run, and newer; ");
  CHECK(said(Raw({Run("r", 6)}, kDamaged), Raw(run)) ==
        "b: a is of the same run, and newer, but has more losses; ");
}

TEST_CASE("an input with further runs stays, and what has no more of one gives way") {
  const auto with_raw = [](int64_t end_ms) {
    Inputs inputs;
    inputs.Found("all", Dump({Run("a", 3), Run("r", 5)}));
    return inputs.Found("raw", Raw({Run("r", end_ms)})).Said();
  };
  CHECK(with_raw(4) == "raw: all is of the same run, and newer; ");
  CHECK(with_raw(5) == "raw: all is of the same run; ");
  CHECK(with_raw(6) ==
        "all and raw are of the same run (app.jar of 2023-11-14 22:13:20 UTC), which is counted "
        "twice; ");
  Inputs merge;
  merge.Found("a", Dump({Run("a", 3)})).Found("all", Dump({Run("a", 3), Run("b", 3), Run("c", 3)}));
  CHECK(merge.Found("some", Raw({Run("b", 3), Run("c", 2)})).Said() ==
        "a: all is of the same run; some: its runs are also in all; ");
  // All of a merge of two dumps of one run is in the newer one.
  Inputs dumps;
  dumps.Found("both", Dump({Run("a", 3), Run("a", 5)})).Found("d", Dump({Run("a", 6)}));
  CHECK(dumps.Said() == "both: its runs are also in d; ");
}

TEST_CASE("what the user named is taken, and told") {
  const std::string of = "(app.jar of 2023-11-14 22:13:20 UTC), which ";
  Inputs inputs;
  inputs.Named("a", Dump({Run("r", 5)})).Named("all", Dump({Run("r", 5), Run("s", 3)}));
  CHECK(inputs.Said() == "a and all are of the same run " + of + "is counted twice; ");
  CHECK(Inputs(inputs).Found("b", Dump({Run("r", 4)})).Said() ==
        "a, all and b are of the same run " + of + "is counted 3 times; ");
  CHECK(inputs.Named("b", Dump({Run("r", 5), Run("s", 3)})).Said() ==
        "a, all and b are of the same run " + of + "is counted 3 times; " +
            "all and b are of the same run " + of + "is counted twice; ");
  Inputs common;
  common.Named("a", Dump({Run("r", 5), Run("s", 3)})).Named("b", Dump({Run("s", 3), Run("r", 5)}));
  CHECK(common.Said() ==
        "a and b have 2 runs in common (one is app.jar of 2023-11-14 22:13:20 "
        "UTC), which are counted twice; ");
  Inputs twice;
  twice.Named("a", Dump({Bare("r")})).Named("a", Dump({Bare("r")}));
  CHECK(twice.Said() == "a and a are of the same run (r), which is counted twice; ");
  CHECK(Inputs().Named("a", Dump({})).Named("a", Dump({})).Said() ==
        "a and a do not say of which runs they are; they may be counted twice; ");
  Inputs many;
  for (int i = 100; i < 200; ++i) {
    const std::string name = std::to_string(i);
    many.Named("a" + name, Dump({Run(name, 5)})).Named("b" + name, Dump({Run(name, 5)}));
  }
  CHECK(FindSameRuns(many.inputs, many.runs).warnings.size() == 11);
  CHECK(many.Said().ends_with("90 more such warnings; "));
}

TEST_CASE("what does not say of which runs it is, is taken, and told once") {
  const InputRuns older{.was_read = true, .runs = {Run("r", 5)}, .older = 3};
  Inputs inputs;
  inputs.Found("a", Dump({})).Found("d", Dump({Run("r", 5)})).Found("e", Dump({}));
  CHECK(inputs.Said() == "a and e do not say of which runs they are; they may be counted twice; ");
  CHECK(inputs.Found("m", older).Found("o", Dump({Run("", 5)})).Said() ==
        "d: m is of the same run; "
        "a, e, m and o do not say of which runs they are; they may be counted twice; ");
  Inputs one;
  one.Found("a", Dump({}));
  CHECK(one.Said().empty());
  CHECK(one.Found("unreadable", {}).Said().empty());
  CHECK(one.Named("d", Dump({Run("r", 5)})).Said() ==
        "a does not say of which run it is; it may be counted twice; ");
  for (int i = 0; i < 19; ++i) one.Found("x" + std::to_string(i), Dump({}));
  CHECK(one.Said().find(" and 10 more do not say") != std::string::npos);
}

RunNote Harvest(const std::string& run, int64_t start_ms) {
  RunNote note = Run(run, start_ms + 60'000);
  note.jvm_build = "17.0.15+6";
  note.source = "methoddata";
  note.start_ms = start_ms;
  return note;
}

TEST_CASE("harvests of one JVM are told once, and all are taken") {
  constexpr int64_t kStart = 1'700'000'000'000;
  const auto said = [](const RunNote& a, const RunNote& b) {
    return Inputs().Named("a", Dump({a})).Named("b", Dump({b})).Said();
  };
  const RunNote first = Harvest("r", kStart);
  const std::string twice = "a and b may be harvests of one JVM, whose counts are counted twice; ";
  CHECK(said(first, Harvest("s", kStart)) == twice);
  CHECK(said(first, Harvest("s", kStart + 2000)) == twice);
  CHECK(said(first, Harvest("s", kStart - 2000)) == twice);
  CHECK(said(first, Harvest("s", kStart + 2001)).empty());
  RunNote other = Harvest("s", kStart);
  SECTION("of another program") { other.program = "b.jar"; }
  SECTION("of another JVM") { other.jvm_build = "17.0.16+1"; }
  SECTION("exact counts") { other.source = "counters"; }
  SECTION("an agent's, which has an identity of its JVM") { other.options = "source=methoddata"; }
  SECTION("of a core file, which does not say when its JVM began") { other.start_ms = 0; }
  CHECK(said(first, other).empty());
  // A copy is of the same run, which says more.
  CHECK(
      said(first, first) ==
      "a and b are of the same run (app.jar of 2023-11-14 22:13:20 UTC), which is counted twice; ");
  Inputs folder;
  folder.Found("c", Dump({Harvest("t", kStart + 1000)})).Found("d", Dump({Run("u", 5)}));
  folder.Found("a", Dump({first})).Found("b", Dump({Harvest("s", kStart + 2500)}));
  folder.Found("m", Dump({Harvest("v", 1), Harvest("w", 2)}));  // was told when it was made
  CHECK(folder.Said() ==
        "a, b and c may be harvests of one JVM, whose counts are counted 3 times; ");
}

// What a file has of a run: what was counted until then, but not all if counts are lost.
struct Content {
  int64_t until = 0;
  bool is_dump = false;
  bool is_whole = false;
};

TEST_CASE("with all kinds of files, each run counts once, as its newest complete content") {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const bool has_merges = round % 2 == 1;
    Inputs inputs;
    std::map<std::string, std::map<size_t, Content>> contents;
    for (size_t i = 0, files = 1 + random() % 9; i < files; ++i) {
      const bool is_dump = random() % 2 == 0;
      const bool is_whole = is_dump || random() % 2 == 0;
      std::vector<RunNote> runs;
      for (int run = 0; run < 4; ++run) {
        if (has_merges ? random() % 2 == 0 : !runs.empty() || random() % 4 != 0) continue;
        runs.push_back(Run(std::to_string(run), 1 + static_cast<int64_t>(random() % 5)));
      }
      if (runs.empty()) runs.push_back(Run("x", 1));
      for (const RunNote& run : runs) contents[run.run][i] = {run.end_ms, is_dump, is_whole};
      SnapshotNote note = is_whole ? kWhole : kFull;
      note.files = static_cast<int64_t>(runs.size());
      inputs.Found(std::to_string(i), is_dump ? Dump(std::move(runs)) : Raw(std::move(runs), note));
    }
    std::set<size_t> left_out;
    for (const auto& out : FindSameRuns(inputs.inputs, inputs.runs).left_out)
      left_out.insert(out.input);
    std::set<size_t> needed;
    for (const auto& [run, files] : contents) {
      const bool has_dump = std::any_of(files.begin(), files.end(),
                                        [](const auto& file) { return file.second.is_dump; });
      int64_t newest = 0;
      for (const auto& [i, content] : files) {
        if (content.is_whole || !has_dump) newest = std::max(newest, content.until);
      }
      size_t taken = 0;
      for (const auto& [i, content] : files) {
        if (left_out.contains(i)) continue;
        if (!has_merges) CHECK(content.until == newest);
        if (content.until == newest && (content.is_whole || !has_dump)) needed.insert(i);
        ++taken;
      }
      CHECK(std::any_of(needed.begin(), needed.end(),
                        [&, &of_run = files](size_t i) { return of_run.contains(i); }));
      if (!has_merges) CHECK(taken == 1);
    }
    CHECK(needed.size() + left_out.size() == inputs.inputs.size());
  }
}

TEST_CASE("a profile that is better than what a raw file of its run gives") {
  const auto why = [](const InputRuns& profile, const InputRuns& raw) {
    const InputRuns raws[] = {Raw({Run("other", 9)}), raw};
    const auto better = FindBetter(profile, raws);
    if (better) CHECK(better->raw == 1);
    return better ? std::string(better->why) : "";
  };
  const InputRuns at5 = Raw({Run("r", 5)});
  const auto at6 = [](const SnapshotNote& note) { return Raw({Run("r", 6)}, note); };
  CHECK(why(Dump({Run("r", 6)}), at5) == "is newer");
  CHECK(why(Dump({Run("r", 5)}), at5) == "is as new");
  CHECK(why(Dump({Run("r", 5)}), at6(kWhole)).empty());
  CHECK(why(Dump({Run("r", 5)}), at6(kFull)) == "has fewer losses");
  // What was recovered before. A raw file that became full still has what it had.
  CHECK(why(at6(kWhole), at5) == "is newer");
  CHECK(why(at5, at5).empty());
  CHECK(why(at6(kFull), at6(kFull)).empty());
  CHECK(why(at6(kWhole), at6(kFull)) == "has fewer losses");
  CHECK(why(at5, at6(kFull)).empty());
  CHECK(why(at5, at6(kDamaged)) == "has fewer losses");
  CHECK(why(at5, at6({.lost_notes = 1, .newer_damaged = 1})).empty());
  // Several runs, and such that are not known.
  CHECK(why(Dump({Run("x", 3), Run("r", 5)}), at6(kWhole)) == "has further runs");
  CHECK(why({.was_read = true, .runs = at5.runs, .older = 1}, at6(kWhole)) == "has further runs");
  CHECK(why(Dump({Run("x", 3)}), at5).empty());
  CHECK(why(Dump({Run("", 9)}), Raw({Run("", 5)})).empty());
}

TEST_CASE("what was recovered earlier from the same raw files") {
  const InputRuns raws[] = {Raw({Run("r", 5)}), Raw({Run("s", 6)})};
  const SnapshotNote of_two{.files = 2, .generation = 7};
  CHECK(IsEarlierResult(Raw({Run("r", 5)}), raws));
  CHECK(IsEarlierResult(Raw({Run("r", 4)}), raws));
  CHECK(IsEarlierResult(Raw({Run("r", 5), Run("s", 6)}, of_two), raws));
  CHECK_FALSE(IsEarlierResult(Raw({Run("r", 6)}), raws));
  CHECK_FALSE(IsEarlierResult(Dump({Run("r", 4)}), raws));
  CHECK_FALSE(IsEarlierResult(Raw({Run("x", 3)}), raws));
  CHECK_FALSE(IsEarlierResult(Raw({Run("r", 5), Run("x", 2)}, of_two), raws));
  CHECK_FALSE(IsEarlierResult(Raw({Run("r", 5)}, of_two), raws));
  CHECK_FALSE(IsEarlierResult(Raw({}), raws));
}

}  // namespace
}  // namespace iprof::cli
