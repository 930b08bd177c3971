#include "cli/files/same_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "cli/files/profile_files.h"
#include "writer/base/join_text.h"
#include "writer/base/utc_time.h"
#include "writer/profile/io/harvest_note.h"

namespace iprof::cli {
namespace {

constexpr size_t kMostWarnings = 10;
constexpr size_t kMostNames = 10;
// A harvest knows the age of its JVM in whole seconds.
constexpr int64_t kMostStartsApartMs = 2000;

// Whether all that it has was recovered from snapshots.
bool IsRecovered(const InputRuns& input) {
  return input.snapshot && std::cmp_greater_equal(input.snapshot->files, input.runs.size());
}

// Whether a snapshot lacks counts that an older input of its run may have. A raw file that became full still has what it
// had, and only damage takes something away.
bool LacksCountsOf(const InputRuns& older, const SnapshotNote& snapshot) {
  const SnapshotNote of_older = older.snapshot.value_or(SnapshotNote());
  return IsRecovered(older) ? snapshot.damaged_records > of_older.damaged_records
                            : snapshot.LossesOfCounts() > of_older.LossesOfCounts();
}

// What an input has of a run.
struct Share {
  size_t input;
  const RunNote* run;
  const InputRuns* all;

  SnapshotNote note() const { return all->snapshot.value_or(SnapshotNote()); }
  bool is_dump() const { return !IsRecovered(*all); }
  auto Age() const { return std::pair(run->end_ms, run->recorded_ms); }
  // Of equally new ones, a dump is better than a snapshot, and one that is needed for other runs saves this one.
  auto Rank() const {
    const int64_t generation = is_dump() ? 0 : note().generation;
    return std::tuple(Age(), is_dump(), !all->KnowsAll(), all->runs.size(), generation);
  }
  auto Losses() const { return std::pair(note().Losses(), note().newer_damaged); }
};
using Shares = std::vector<Share>;  // of one run
using SharesByRun = std::map<std::string_view, Shares>;

SharesByRun SharesOf(std::span<const InputRuns> inputs) {
  SharesByRun known;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (const RunNote& run : inputs[i].runs) {
      if (run.run.empty()) continue;
      Shares& shares = known[run.run];
      const Share share{i, &run, &inputs[i]};
      if (shares.empty() || shares.back().input != i) {
        shares.push_back(share);
      } else if (share.Age() > shares.back().Age()) {  // a merge of several dumps of the run
        shares.back() = share;
      }
    }
  }
  return known;
}

// The best one that lacks no counts of an older dump.
Share BestOf(Shares shares) {
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
    return a.Rank() != b.Rank() ? a.Rank() > b.Rank() : a.Losses() < b.Losses();
  });
  const auto lacks_counts = [&](const Share& share) {
    return std::any_of(shares.begin(), shares.end(), [&](const Share& older) {
      return older.is_dump() && LacksCountsOf(*older.all, share.note());
    });
  };
  return *std::find_if(shares.begin(), shares.end(),
                       [&](const Share& share) { return share.is_dump() || !lacks_counts(share); });
}

std::string_view WhyNot(const Share& share, const Share& best) {
  if (best.Age() < share.Age()) return ", and this one is newer, but has losses";
  const bool are_snapshots = !best.is_dump() && !share.is_dump();
  if (best.Age() == share.Age() &&
      (!are_snapshots || best.note().generation <= share.note().generation))
    return best.Losses() < share.Losses() ? ", and has fewer losses" : "";
  return best.note().Losses() > share.note().Losses() ? ", and newer, but has more losses"
                                                      : ", and newer";
}

using Names = std::multiset<std::string>;  // of inputs; one may be given twice

// "a, b and 3 more"
std::string ListOf(const Names& all) {
  std::vector<std::string> names(all.begin(), all.end());
  if (names.size() > kMostNames) {
    names.resize(kMostNames);
    names.push_back(fmt::format("{} more", all.size() - kMostNames));
  }
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", JoinText(names, ", "), last);
}

// "app.jar of 2026-11-24 23:35:27 UTC"
std::string Describe(const RunNote& run) {
  if (run.program.empty() || run.start_ms == 0) return run.run;
  return fmt::format("{} of {} UTC", run.program, UtcTextForPeople(run.start_ms));
}

// Made from outside: an agent that reads HotSpot's counters has options that say so.
bool IsHarvest(const RunNote& run) {
  return run.source == kMethodDataSource && run.options.empty() && !run.program.empty() &&
         run.start_ms != 0;
}

// Harvests of one of these may be of one JVM.
auto ProgramOf(const RunNote& run) { return std::tie(run.program, run.jvm_version, run.jvm_build); }

class Search {
 public:
  Search(std::span<const MergeInput> inputs, std::span<const InputRuns> runs)
      : inputs_(inputs), runs_(runs), is_kept_(inputs.size()), shares_(SharesOf(runs)) {}

  SameRuns Run() {
    for (size_t i = 0; i < inputs_.size(); ++i)
      is_kept_[i] = runs_[i].was_read && (!inputs_[i].is_found || !runs_[i].KnowsAll());
    LeaveOut();
    WarnOfCommon();
    WarnOfHarvests();
    if (const size_t all = found_.warnings.size(); all > kMostWarnings) {
      found_.warnings.resize(kMostWarnings);
      found_.warnings.push_back(fmt::format("{} more such warnings", all - kMostWarnings));
    }
    WarnOfUnknown();
    return std::move(found_);
  }

 private:
  const std::string& PathOf(const Share& share) const { return inputs_[share.input].path; }

  void LeaveOut() {
    std::map<std::string_view, Share> best;
    for (const auto& [run, shares] : shares_) {
      Shares found = shares;
      std::erase_if(found, [&](const Share& share) { return !inputs_[share.input].is_found; });
      if (found.empty()) continue;
      const Share& taken = best.emplace(run, BestOf(std::move(found))).first->second;
      is_kept_[taken.input] = true;
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (runs_[i].was_read && !is_kept_[i]) found_.left_out.push_back({i, WhyLeftOut(i, best)});
    }
  }

  std::string WhyLeftOut(size_t i, const std::map<std::string_view, Share>& best) const {
    std::set<std::string> kept;
    for (const RunNote& run : runs_[i].runs) kept.insert(PathOf(best.at(run.run)));
    if (runs_[i].runs.size() > 1)
      return "its runs are also in " + ListOf({kept.begin(), kept.end()});
    const RunNote& run = runs_[i].runs.front();
    return fmt::format("{} is of the same run{}", *kept.begin(),
                       WhyNot({i, &run, &runs_[i]}, best.at(run.run)));
  }

  // One warning for all runs that the same inputs have.
  void WarnOfCommon() {
    std::map<Names, std::vector<const RunNote*>> common;
    for (const auto& [run, shares] : shares_) {
      Names names;
      for (const Share& share : shares) {
        if (is_kept_[share.input]) names.insert(NameOfInput(PathOf(share)));
      }
      if (names.size() > 1) common[names].push_back(shares.front().run);
    }
    for (const auto& [names, runs] : common) {
      const std::string times = names.size() == 2 ? "twice" : fmt::format("{} times", names.size());
      const std::string first = Describe(*runs.front());
      found_.warnings.push_back(
          runs.size() == 1
              ? fmt::format("{} are of the same run ({}), which is counted {}", ListOf(names),
                            first, times)
              : fmt::format("{} have {} runs in common (one is {}), which are counted {}",
                            ListOf(names), runs.size(), first, times));
    }
  }

  void WarnOfHarvests() {
    std::vector<std::pair<const RunNote*, size_t>> harvests;
    for (const auto& [run, shares] : shares_) {
      for (const Share& share : shares) {
        if (is_kept_[share.input] && IsHarvest(*share.run))
          harvests.emplace_back(share.run, share.input);
      }
    }
    const auto key = [](const auto& harvest) {
      return std::tuple(ProgramOf(*harvest.first), harvest.first->start_ms);
    };
    std::ranges::stable_sort(harvests, {}, key);
    const auto is_other = [](const auto& a, const auto& b) {
      return ProgramOf(*a.first) != ProgramOf(*b.first) ||
             b.first->start_ms - a.first->start_ms > kMostStartsApartMs;
    };
    for (auto first = harvests.begin(); first != harvests.end();) {
      const auto next = std::adjacent_find(first, harvests.end(), is_other);
      const auto end = next == harvests.end() ? next : std::next(next);
      WarnOfHarvestsOfOne({first, end});
      first = end;
    }
  }

  // What the same run is in was told already.
  void WarnOfHarvestsOfOne(std::span<const std::pair<const RunNote*, size_t>> harvests) {
    std::set<size_t> inputs;
    std::set<std::string_view> runs;
    for (const auto& [run, input] : harvests) {
      inputs.insert(input);
      runs.insert(run->run);
    }
    if (inputs.size() < 2 || runs.size() < 2) return;
    Names names;
    for (const size_t input : inputs) names.insert(NameOfInput(inputs_[input].path));
    found_.warnings.push_back(
        ListOf(names) + " may be harvests of one JVM, whose counts are counted " +
        (names.size() == 2 ? "twice" : fmt::format("{} times", names.size())));
  }

  void WarnOfUnknown() {
    Names unknown;
    size_t all = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!is_kept_[i]) continue;
      ++all;
      if (!runs_[i].KnowsAll()) unknown.insert(NameOfInput(inputs_[i].path));
    }
    if (unknown.empty() || all == 1) return;
    found_.warnings.push_back(
        ListOf(unknown) + (unknown.size() == 1
                               ? " does not say of which run it is; it may be counted twice"
                               : " do not say of which runs they are; they may be counted twice"));
  }

  const std::span<const MergeInput> inputs_;
  const std::span<const InputRuns> runs_;
  std::vector<bool> is_kept_;
  const SharesByRun shares_;
  SameRuns found_;
};

// Whether a profile, which has this run, has what a raw file of that run lacks.
std::string_view WhyBetter(const Share& profile, const Share& raw) {
  if (profile.Age() > raw.Age())
    return profile.run->end_ms > raw.run->end_ms ? "is newer" : "is as new";
  const bool has_fewer = profile.Age() < raw.Age() ? LacksCountsOf(*profile.all, raw.note())
                                                   : profile.Losses() < raw.Losses();
  if (profile.Age() == raw.Age() && !profile.all->snapshot) return "is as new";
  return has_fewer ? "has fewer losses" : "";
}

bool HasOnly(const InputRuns& profile, const SharesByRun& known) {
  return profile.KnowsAll() &&
         std::all_of(profile.runs.begin(), profile.runs.end(),
                     [&](const RunNote& run) { return known.contains(run.run); });
}

}  // namespace

SameRuns FindSameRuns(std::span<const MergeInput> inputs, std::span<const InputRuns> runs) {
  return Search(inputs, runs).Run();
}

std::optional<BetterProfile> FindBetter(const InputRuns& profile, std::span<const InputRuns> raws) {
  const SharesByRun known = SharesOf(raws);
  std::optional<size_t> shared;
  for (const auto& [run, of_profile] : SharesOf({&profile, 1})) {
    const auto raw = known.find(run);
    if (raw == known.end()) continue;
    shared = raw->second.front().input;
    const std::string_view why = WhyBetter(of_profile.front(), raw->second.front());
    if (!why.empty()) return BetterProfile{*shared, why};
  }
  if (shared && !HasOnly(profile, known)) return BetterProfile{*shared, "has further runs"};
  return std::nullopt;
}

bool IsEarlierResult(const InputRuns& profile, std::span<const InputRuns> raws) {
  return profile.snapshot && std::cmp_equal(profile.snapshot->files, profile.runs.size()) &&
         HasOnly(profile, SharesOf(raws)) && !FindBetter(profile, raws);
}

}  // namespace iprof::cli
