#include "cli/same_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "cli/profile_files.h"
#include "cli/profile_names.h"
#include "writer/base/utc_time.h"

namespace iprof::cli {
namespace {

constexpr size_t kMostWarnings = 10;

// An input that has a run.
struct Member {
  size_t input;
  int64_t end_ms;       // of that run, as the input has it
  int64_t recorded_ms;  // likewise
  bool is_alone;        // the input has no other run
};
using Members = std::vector<Member>;

using RunKey = std::tuple<int64_t, std::string, std::string, std::string, std::string, std::string>;

RunKey KeyOf(const RunNote& run) {
  return {run.start_ms, run.program, run.jvm_vendor, run.jvm_build, run.agent, run.options};
}

std::string FolderOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

// "app.1" for app.1.iprof, app.1.iprof.gz, app.1.iraw, app.1.iprof.partial and app.1.iprof.2.partial.
std::string BaseOf(const std::string& path) {
  return WithoutProfileSuffix(std::filesystem::path(path).filename().string());
}

// "app" for app.iprof and, as the agent calls files where a name is taken, for app.1.iraw and
// app.12.1.iraw. A number that is the process's is its user's (out=app.%p.iprof), but for those of
// the first processes of a container: these may be either.
std::string StemOf(const std::string& path, int64_t pid) {
  constexpr size_t kMostDigits = 4;
  constexpr int64_t kLeastPid = 10;
  std::string stem = BaseOf(path);
  for (;;) {
    const size_t dot = stem.rfind('.');
    if (dot == std::string::npos || dot == 0) return stem;
    const std::string_view number = std::string_view(stem).substr(dot + 1);
    if (number.empty() || number.size() > kMostDigits ||
        number.find_first_not_of("0123456789") != std::string_view::npos)
      return stem;
    if (pid >= kLeastPid && number == std::to_string(pid)) return stem;
    stem.resize(dot);
  }
}

// What a profile was recovered from; null if some were not.
const SnapshotNote* RecoveredFrom(const InputRuns& profile) {
  const auto& note = profile.snapshot;
  return note && std::cmp_greater_equal(note->files, profile.runs.size()) ? &*note : nullptr;
}

// Likewise, and the runs of all these snapshots are known.
bool HasOnlyRecovered(const InputRuns& profile) {
  return !profile.runs.empty() && profile.snapshot &&
         std::cmp_equal(profile.snapshot->files, profile.runs.size());
}

// Whether a raw file lacks counts that an older profile of its run may have (see same_run.h).
bool LacksCountsOf(const InputRuns& profile, const SnapshotNote& of_raw) {
  if (const SnapshotNote* recovered = RecoveredFrom(profile))
    return of_raw.damaged_records > recovered->damaged_records;
  return of_raw.LossesOfCounts() > profile.snapshot.value_or(SnapshotNote()).LossesOfCounts();
}

// Whether a profile, which has this run, has what a raw file of that run lacks.
std::string_view WhyBetter(const RunNote& run, const InputRuns& profile, const RunNote& raw,
                           const std::optional<SnapshotNote>& snapshot) {
  const std::pair age(run.end_ms, run.recorded_ms);
  const std::pair age_of_raw(raw.end_ms, raw.recorded_ms);
  if (age > age_of_raw) return run.end_ms > raw.end_ms ? "is newer" : "is as new";
  const SnapshotNote of_raw = snapshot.value_or(SnapshotNote());
  // A profile that was recovered from the same snapshot is no better.
  if (age == age_of_raw && !profile.snapshot) return "is as new";
  const bool has_fewer_losses = age == age_of_raw ? profile.snapshot->Losses() < of_raw.Losses()
                                                  : LacksCountsOf(profile, of_raw);
  return has_fewer_losses ? "has fewer losses" : "";
}

class Search {
 public:
  Search(std::span<const RunInput> inputs, std::span<const InputRuns> runs)
      : inputs_(inputs),
        runs_(runs),
        has_run_(inputs.size()),
        is_left_out_(inputs.size()),
        stands_for_others_(inputs.size()) {}

  SameRuns Run() {
    WarnOfRepeated();
    std::map<RawRunId, std::vector<const RunNote*>> runs_of;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!runs_[i].was_read || !inputs_[i].raw) continue;
      for (const RunNote& run : runs_[i].runs) {
        if (run.start_ms > 0) runs_of[*inputs_[i].raw].push_back(&run);
      }
    }
    std::map<RunKey, Members> by_run;
    std::map<RawRunId, Members> without_run;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const InputRuns& input = runs_[i];
      if (!input.was_read) continue;
      has_run_[i] = std::any_of(input.runs.begin(), input.runs.end(),
                                [](const RunNote& run) { return run.start_ms > 0; });
      for (const RunNote& run : input.runs) {
        if (run.start_ms > 0)
          by_run[KeyOf(run)].push_back({i, run.end_ms, run.recorded_ms, input.runs.size() == 1});
      }
      if (!inputs_[i].raw || has_run_[i]) continue;
      const Member member{i, SnapshotMs(i), 0, true};
      const auto known = runs_of.find(*inputs_[i].raw);
      if (known == runs_of.end()) {
        without_run[*inputs_[i].raw].push_back(member);
      } else {
        has_run_[i] = true;
        by_run[KeyOf(*RunAt(known->second, member.end_ms))].push_back(member);
      }
    }
    for (const auto& [key, members] : by_run) {
      for (const Members& same : ByProcess(members)) Judge(same);
    }
    for (const auto& [id, members] : without_run) Judge(members);
    JudgeByName();
    std::sort(found_.left_out.begin(), found_.left_out.end(),
              [](const auto& a, const auto& b) { return a.input < b.input; });
    if (more_warnings_ > 0) {
      found_.warnings.push_back(
          fmt::format("{} more pairs of inputs are or may be of the same run", more_warnings_));
    }
    return std::move(found_);
  }

 private:
  bool IsRaw(const Member& member) const { return inputs_[member.input].raw.has_value(); }
  const std::string& PathOf(const Member& member) const { return inputs_[member.input].path; }
  int64_t SnapshotMs(size_t input) const {
    return runs_[input].snapshot ? ParseUtcText(runs_[input].snapshot->time) : 0;
  }
  // What the snapshot lacks, and then whether there was a newer one. Of a raw file without a note,
  // nothing is known.
  using Losses = std::pair<int64_t, int64_t>;
  Losses LossesOf(const Member& member) const {
    const auto& snapshot = runs_[member.input].snapshot;
    if (!snapshot) return {IsRaw(member) ? 1 : 0, 0};
    return {snapshot->Losses(), snapshot->newer_damaged};
  }
  bool LacksCounts(const Member& raw, const Member& profile) const {
    // Of a raw file without a note, nothing is known.
    const SnapshotNote unknown{.damaged_records = 1};
    return LacksCountsOf(runs_[profile.input], runs_[raw.input].snapshot.value_or(unknown));
  }
  bool IsRecovered(const Member& profile) const {
    return !IsRaw(profile) && profile.is_alone && HasOnlyRecovered(runs_[profile.input]);
  }

  // A process has several runs if it was reset: the last that began before the snapshot.
  static const RunNote* RunAt(const std::vector<const RunNote*>& runs, int64_t time_ms) {
    const RunNote* at = nullptr;
    const auto is_later = [&](const RunNote* run) { return run->start_ms > time_ms; };
    for (const RunNote* run : runs) {
      if (at == nullptr || (is_later(at) ? run->start_ms < at->start_ms
                                         : !is_later(run) && run->start_ms > at->start_ms))
        at = run;
    }
    return at;
  }

  // A start is no proof: JVMs of other pods may begin in the same millisecond.
  bool HaveOneName(const Member& a, const Member& b) const { return HaveOneName(a.input, b.input); }
  bool HaveOneName(size_t a, size_t b) const {
    const auto pid_of = [this](size_t input) {
      return inputs_[input].raw ? inputs_[input].raw->pid : 0;
    };
    const int64_t pid = std::max(pid_of(a), pid_of(b));
    const std::string& path_a = inputs_[a].path;
    const std::string& path_b = inputs_[b].path;
    return FolderOf(path_a) == FolderOf(path_b) && StemOf(path_a, pid) == StemOf(path_b, pid);
  }

  // Raw files tell processes that began in one millisecond apart. Whose a profile is, its name
  // tells.
  std::vector<Members> ByProcess(const Members& members) {
    std::map<RawRunId, Members> processes;
    for (const Member& member : members) {
      if (IsRaw(member)) processes[*inputs_[member.input].raw].push_back(member);
    }
    if (processes.size() <= 1) return {members};
    const Member* first = nullptr;  // of partial profiles, which may be copies
    for (const auto& [id, raws] : processes) {
      if (id.pid >= 0) continue;
      if (first != nullptr) WarnOf(first->input, raws.front().input, false);
      first = &raws.front();
    }
    std::map<RawRunId, Members> profiles;
    for (const Member& member : members) {
      if (IsRaw(member)) continue;
      std::vector<RawRunId> owners;
      for (const auto& [id, raws] : processes) {
        if (std::any_of(raws.begin(), raws.end(),
                        [&](const Member& raw) { return HaveOneName(raw, member); }))
          owners.push_back(id);
      }
      if (owners.size() == 1) {
        profiles[owners.front()].push_back(member);
      } else {
        WarnOf(processes.begin()->second.front().input, member.input, false);
      }
    }
    std::vector<Members> all;
    for (auto& [id, same] : processes) {
      same.insert(same.end(), profiles[id].begin(), profiles[id].end());
      all.push_back(std::move(same));
    }
    return all;
  }

  using Age = std::pair<int64_t, int64_t>;
  Age AgeOfRaw(const Member& raw) const {
    const auto& snapshot = runs_[raw.input].snapshot;
    return {SnapshotMs(raw.input), snapshot ? snapshot->generation : 0};
  }
  static Age AgeOf(const Member& member) { return {member.end_ms, member.recorded_ms}; }

  // "NAME is of the same run", and more.
  void LeaveOut(const Member& member, const Member& kept, std::string_view more) {
    stands_for_others_[kept.input] = true;
    LeaveOut(member.input, fmt::format("{} is of the same run{}", PathOf(kept), more));
  }
  void LeaveOut(size_t input, std::string why) {
    is_left_out_[input] = true;
    found_.left_out.push_back({input, std::move(why)});
  }

  static const Member& NewestOf(const Members& profiles) {
    return *std::min_element(profiles.begin(), profiles.end(),
                             [](const Member& a, const Member& b) { return AgeOf(a) > AgeOf(b); });
  }

  // The newest first; of equally new ones, that with the fewest losses.
  void SortRaws(Members* raws) const {
    std::stable_sort(raws->begin(), raws->end(), [this](const Member& a, const Member& b) {
      return AgeOfRaw(a) != AgeOfRaw(b) ? AgeOfRaw(a) > AgeOfRaw(b) : LossesOf(a) < LossesOf(b);
    });
  }

  void LeaveOutOthers(const Members& raws, const Member& kept) {
    for (const Member& raw : raws) {
      if (raw.input == kept.input) continue;
      const bool has_more = LossesOf(kept).first > LossesOf(raw).first;
      LeaveOut(raw, kept,
               AgeOfRaw(kept) == AgeOfRaw(raw)  ? ""
               : AgeOfRaw(kept) < AgeOfRaw(raw) ? ", and this one is newer, but has losses"
               : has_more                       ? ", and newer, but has more losses"
                                                : ", and newer");
    }
  }

  // Of profiles that were recovered from one run, each has all of those before it.
  void ChooseRecovered(Members profiles) {
    std::stable_sort(profiles.begin(), profiles.end(), [this](const Member& a, const Member& b) {
      return AgeOf(a) != AgeOf(b) ? AgeOf(a) > AgeOf(b) : LossesOf(a) < LossesOf(b);
    });
    const Member& kept = profiles.front();
    for (size_t i = 1; i < profiles.size(); ++i) {
      const bool has_more = LossesOf(kept).first > LossesOf(profiles[i]).first;
      LeaveOut(profiles[i], kept,
               AgeOf(kept) == AgeOf(profiles[i]) ? ""
               : has_more                        ? ", and newer, but has more losses"
                                                 : ", and newer");
    }
  }

  // Raw files of one process, and profiles of the name of one of them. A raw file has all that the
  // profiles have only if it is newer, and its snapshot lacks no counts that they may have. A kill
  // while it wrote another one takes nothing away. A profile with further runs stays.
  void Choose(Members raws, const Members& profiles) {
    SortRaws(&raws);
    if (profiles.empty()) return LeaveOutOthers(raws, raws.front());
    const Member& newest = NewestOf(profiles);
    Members alone;
    std::copy_if(profiles.begin(), profiles.end(), std::back_inserter(alone),
                 [](const Member& profile) { return profile.is_alone; });
    const auto is_older = [&](const Member& raw) { return AgeOf(raw) <= AgeOf(newest); };
    const auto lacks_counts = [&](const Member& raw) {
      return !alone.empty() && LacksCounts(raw, NewestOf(alone));
    };
    const auto kept = std::find_if(raws.begin(), raws.end(), [&](const Member& raw) {
      return !is_older(raw) && !lacks_counts(raw);
    });
    if (kept != raws.end()) {
      LeaveOutOthers(raws, *kept);
      for (const Member& profile : alone) LeaveOut(profile, *kept, ", and newer");
      return;
    }
    for (const Member& raw : raws) {
      if (is_older(raw)) {
        LeaveOut(raw, newest, newest.end_ms > raw.end_ms ? ", and newer" : "");
      } else {
        LeaveOut(raw, NewestOf(alone), ", and this one is newer, but has losses");
      }
    }
  }

  // All of one run.
  void Judge(const Members& members) {
    if (members.size() < 2) return;
    std::map<std::string, Members> folders;
    for (const Member& member : members) {
      if (inputs_[member.input].is_found && (member.is_alone || !IsRaw(member)))
        folders[FolderOf(PathOf(member))].push_back(member);
    }
    for (const auto& [folder, found] : folders) {
      Members raws;
      Members profiles;
      std::copy_if(found.begin(), found.end(), std::back_inserter(raws),
                   [this](const Member& member) { return IsRaw(member); });
      std::copy_if(
          found.begin(), found.end(), std::back_inserter(profiles), [&](const Member& member) {
            return !IsRaw(member) && std::any_of(raws.begin(), raws.end(), [&](const Member& raw) {
              return HaveOneName(raw, member);
            });
          });
      if (!raws.empty()) Choose(std::move(raws), profiles);
      std::map<std::string, Members> recovered;
      for (const Member& member : found) {
        if (!is_left_out_[member.input] && IsRecovered(member))
          recovered[StemOf(PathOf(member), 0)].push_back(member);
      }
      for (const auto& [name, of_name] : recovered) ChooseRecovered(of_name);
    }
    const Member* first = nullptr;
    for (const Member& member : members) {
      if (is_left_out_[member.input]) continue;
      if (first == nullptr) {
        first = &member;
      } else if (member.input != first->input &&  // dumps of one run, merged
                 (PathOf(member) != PathOf(*first) || inputs_[member.input].is_found)) {
        WarnOf(first->input, member.input,
               (IsRaw(*first) && IsRaw(member)) || HaveOneName(*first, member));
      }
    }
  }

  // What the user named more than once, whether its run is known or not.
  void WarnOfRepeated() {
    std::map<std::string_view, size_t> times;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (runs_[i].was_read && !inputs_[i].is_found) ++times[inputs_[i].path];
    }
    for (const auto& [path, count] : times) {
      if (count > 1) Warn(fmt::format("{} was given more than once; it counts each time", path));
    }
  }

  void WarnOf(size_t a, size_t b, bool is_sure) {
    if (!pairs_.emplace(a, b).second) return;
    Warn(fmt::format("{} and {} {}", NameOfInput(inputs_[a].path), NameOfInput(inputs_[b].path),
                     is_sure ? "are of the same run, which is counted twice"
                             : "may be of the same run, which would be counted twice"));
  }

  void Warn(std::string warning) {
    if (found_.warnings.size() == kMostWarnings) {
      ++more_warnings_;
    } else {
      found_.warnings.push_back(std::move(warning));
    }
  }

  // A raw file, and a profile of its name, if not both say of which run they are. What another
  // input was left out for stays: nothing else has that run for sure.
  void JudgeByName() {
    const auto is_raw = [this](size_t i) {
      return inputs_[i].path.ends_with(kRawSuffix) || IsPartialName(inputs_[i].path);
    };
    std::map<std::pair<std::string, std::string>, std::vector<size_t>> profiles;  // by name
    const auto name_of = [this](size_t i) {
      return std::pair(FolderOf(inputs_[i].path), StemOf(inputs_[i].path, 0));
    };
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].is_found && runs_[i].was_read && !is_raw(i) && !is_left_out_[i])
        profiles[name_of(i)].push_back(i);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].is_found || !runs_[i].was_read || !is_raw(i) || is_left_out_[i]) continue;
      const auto beside = profiles.find(name_of(i));
      if (beside == profiles.end()) continue;
      for (const size_t profile : beside->second) {
        if ((has_run_[i] && has_run_[profile]) || !HaveOneName(i, profile)) continue;
        if (stands_for_others_[i]) {
          WarnOf(i, profile, false);
          continue;
        }
        LeaveOut(i, fmt::format("{} may be of the same run", inputs_[profile].path));
        break;
      }
    }
  }

  const std::span<const RunInput> inputs_;
  const std::span<const InputRuns> runs_;
  std::vector<bool> has_run_;  // its own with a start, or that of a copy
  std::vector<bool> is_left_out_;
  std::vector<bool> stands_for_others_;  // which were left out for it
  std::set<std::pair<size_t, size_t>> pairs_;
  size_t more_warnings_ = 0;
  SameRuns found_;
};

// By run, the raw files that have it. JVMs may begin in the same millisecond.
using RawRuns = std::map<RunKey, std::vector<std::pair<size_t, const RunNote*>>>;

RawRuns RunsOf(std::span<const InputRuns> raws) {
  RawRuns known;
  for (size_t i = 0; i < raws.size(); ++i) {
    for (const RunNote& run : raws[i].runs) {
      if (run.start_ms > 0) known[KeyOf(run)].emplace_back(i, &run);
    }
  }
  return known;
}

}  // namespace

SameRuns FindSameRuns(std::span<const RunInput> inputs, std::span<const InputRuns> runs) {
  std::vector<RunInput> all(inputs.begin(), inputs.end());
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& note = runs[i].snapshot;
    // No process has such an id.
    if (all[i].is_found && IsPartialName(all[i].path) && note && note->is_partial)
      all[i].raw = RawRunId{-1 - static_cast<int64_t>(i), 0};
  }
  return Search(all, runs).Run();
}

std::optional<BetterProfile> FindBetter(const InputRuns& profile, std::span<const InputRuns> raws) {
  const RawRuns known = RunsOf(raws);
  std::optional<size_t> shared;
  bool has_further = false;
  for (const RunNote& run : profile.runs) {
    const auto found = known.find(KeyOf(run));
    if (found == known.end()) {
      has_further = true;
      continue;
    }
    std::optional<BetterProfile> better;
    bool is_better = true;
    for (const auto& [raw, same] : found->second) {
      const std::string_view why = WhyBetter(run, profile, *same, raws[raw].snapshot);
      is_better = is_better && !why.empty();
      if (!better) better = BetterProfile{raw, why};
    }
    if (is_better) return better;
    shared = better->raw;
  }
  if (shared && has_further) return BetterProfile{*shared, "has further runs"};
  return std::nullopt;
}

bool IsEarlierResult(const InputRuns& profile, std::span<const InputRuns> raws) {
  const RawRuns known = RunsOf(raws);
  const auto is_known = [&](const RunNote& run) { return known.contains(KeyOf(run)); };
  return HasOnlyRecovered(profile) &&
         std::all_of(profile.runs.begin(), profile.runs.end(), is_known) &&
         !FindBetter(profile, raws);
}

}  // namespace iprof::cli
