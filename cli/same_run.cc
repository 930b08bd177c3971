#include "cli/same_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "cli/profile_files.h"
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

class Search {
 public:
  Search(std::span<const RunInput> inputs, std::span<const InputRuns> runs)
      : inputs_(inputs), runs_(runs), is_left_out_(inputs.size()) {}

  SameRuns Run() {
    std::map<RunKey, Members> by_run;
    std::map<RawRunId, Members> without_run;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const InputRuns& input = runs_[i];
      if (!input.was_read) continue;
      for (const RunNote& run : input.runs) {
        if (run.start_ms > 0)
          by_run[KeyOf(run)].push_back({i, run.end_ms, run.recorded_ms, input.runs.size() == 1});
      }
      if (inputs_[i].raw && input.runs.empty()) {
        const int64_t time_ms = input.snapshot ? ParseUtcText(input.snapshot->time) : 0;
        without_run[*inputs_[i].raw].push_back({i, time_ms, 0, true});
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
          fmt::format("{} more pairs of inputs are of the same run", more_warnings_));
    }
    return std::move(found_);
  }

 private:
  bool IsRaw(const Member& member) const { return inputs_[member.input].raw.has_value(); }
  const std::string& PathOf(const Member& member) const { return inputs_[member.input].path; }

  // Raw files tell processes that began in one millisecond apart. Whose a profile is, is not known then.
  std::vector<Members> ByProcess(const Members& members) const {
    std::map<RawRunId, Members> processes;
    for (const Member& member : members) {
      if (IsRaw(member)) processes[*inputs_[member.input].raw].push_back(member);
    }
    if (processes.size() <= 1) return {members};
    std::vector<Members> all;
    for (auto& [id, same] : processes) all.push_back(std::move(same));
    return all;
  }

  // Of equally new ones, a profile is more exact than a raw file.
  bool IsNewer(const Member& a, const Member& b) const {
    const auto rank = [this](const Member& m) {
      return std::tuple(m.end_ms, m.recorded_ms, !IsRaw(m));
    };
    return rank(a) > rank(b);
  }

  void LeaveOut(size_t input, std::string why) {
    is_left_out_[input] = true;
    found_.left_out.push_back({input, std::move(why)});
  }

  // All of one run.
  void Judge(const Members& members) {
    if (members.size() < 2) return;
    std::map<std::string, Members> folders;
    for (const Member& member : members) {
      if (inputs_[member.input].is_found && member.is_alone)
        folders[FolderOf(PathOf(member))].push_back(member);
    }
    for (const auto& [folder, found] : folders) {
      const Member newest =
          *std::min_element(found.begin(), found.end(),
                            [this](const Member& a, const Member& b) { return IsNewer(a, b); });
      for (const Member& member : found) {
        if (member.input == newest.input || !(IsRaw(member) || IsRaw(newest))) continue;
        LeaveOut(member.input, fmt::format("{} is of the same run{}", PathOf(newest),
                                           newest.end_ms > member.end_ms ? ", and newer" : ""));
      }
    }
    const Member* first = nullptr;
    for (const Member& member : members) {
      if (is_left_out_[member.input]) continue;
      if (first == nullptr) {
        first = &member;
      } else if (PathOf(member) != PathOf(*first)) {
        WarnOf(*first, member);
      }
    }
  }

  void WarnOf(const Member& a, const Member& b) {
    if (!pairs_.emplace(a.input, b.input).second) return;
    if (found_.warnings.size() == kMostWarnings) {
      ++more_warnings_;
      return;
    }
    found_.warnings.push_back(fmt::format("{} and {} are of the same run, which is counted twice",
                                          NameOfInput(PathOf(a)), NameOfInput(PathOf(b))));
  }

  // app.iraw, and app.iprof or app.iprof.gz, if not both say of which run they are.
  void JudgeByName() {
    std::map<std::string_view, size_t> found;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].is_found && runs_[i].was_read) found.emplace(inputs_[i].path, i);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const std::string& path = inputs_[i].path;
      if (!inputs_[i].is_found || !runs_[i].was_read || !path.ends_with(kRawSuffix) ||
          is_left_out_[i])
        continue;
      const std::string stem = path.substr(0, path.size() - kRawSuffix.size());
      for (const std::string_view suffix : {".iprof", ".iprof.gz"}) {
        const auto beside = found.find(stem + std::string(suffix));
        if (beside == found.end() || is_left_out_[beside->second]) continue;
        if (!runs_[i].runs.empty() && !runs_[beside->second].runs.empty()) continue;
        LeaveOut(i, "the profile beside it may be of the same run");
        break;
      }
    }
  }

  const std::span<const RunInput> inputs_;
  const std::span<const InputRuns> runs_;
  std::vector<bool> is_left_out_;
  std::set<std::pair<size_t, size_t>> pairs_;
  size_t more_warnings_ = 0;
  SameRuns found_;
};

}  // namespace

SameRuns FindSameRuns(std::span<const RunInput> inputs, std::span<const InputRuns> runs) {
  return Search(inputs, runs).Run();
}

}  // namespace iprof::cli
