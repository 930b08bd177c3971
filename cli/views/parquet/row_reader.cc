#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/views/parquet/file_reader.h"
#include "cli/views/parquet/profile_rows.h"
#include "cli/views/parquet/row_columns.h"
#include "cli/views/parquet/row_names.h"
#include "writer/ops/merge.h"
#include "writer/profile/code_hashes.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/sample_threads.h"

namespace iprof::parquet {
namespace {

// Of the columns of kRowColumns, those that are read, with what a file must have.
std::vector<Column> WantedColumns() {
  std::vector<Column> wanted(std::begin(kRowColumns), std::end(kRowColumns));
  for (const RowColumn column : {kRunColumn, kWeightColumn}) wanted[column].required = false;
  for (const RowColumn column : {kMethodColumn, kPositionColumn}) wanted[column].required = true;
  wanted[kTimeColumn] = wanted[kHostColumn] = wanted[kRunColumn];  // they are not read
  return wanted;
}

// The rows of one version of each method.
struct Version {
  Version() : names(profile) { profile.AddStandardTypes(); }

  Profile profile;
  RowNames names;
  std::vector<uint8_t> is_recorded;  // by method: it has rows, all of this version

  // Whether the method's rows so far are of this code; if there are none, they are from now on.
  bool Takes(MethodIndex method, uint64_t hash) {
    const auto at = static_cast<size_t>(method);
    if (at >= is_recorded.size()) is_recorded.resize(at + 1);
    if (is_recorded[at] != 0) return profile.CodeHash(method) == KeptCodeHash(hash);
    is_recorded[at] = 1;
    profile.SetCodeHash(method, hash);
    return true;
  }
};

class RowReader {
 public:
  RowReader(FileReader& file, std::string name)
      : file_(file),
        name_(std::move(name)),
        is_ours_(file.Metadata(kIprofKey).has_value() &&
                 file.Metadata(kRowsKey) == std::to_string(file.row_count())) {}

  Result<Profile> Read() {
    if (Status status = file_.Choose(WantedColumns()); !status.ok()) return status;
    for (row_ = 1; file_.Next(); ++row_) {
      if (const std::string_view wrong = AddRow(); !wrong.empty())
        return Status(Code::kBadInput, fmt::format("{}: row {}: {}", name_, row_, wrong));
    }
    if (!file_.status().ok()) return file_.status();
    EndBranch();
    for (const auto& [key, list] : scattered_) AddScattered(key, list);
    if (versions_.empty()) versions_.emplace_back();
    ShareHashes();
    if (is_ours_) AddParts(versions_.front().profile);
    if (versions_.size() == 1) return std::move(versions_.front().profile);
    ProfileMerger merger;
    for (const Version& version : versions_) merger.Add(version.profile);
    return merger.Finish();
  }

 private:
  using BranchKey = std::pair<size_t, ContextIndex>;                 // by version
  using Scattered = std::map<std::pair<int64_t, int64_t>, int64_t>;  // by index and position

  // Returns what is wrong.
  std::string_view AddRow() {
    const std::string_view table_name = file_.Text(kTableColumn);
    const auto* const table = std::ranges::find(kAllTables, table_name, NameOfTable);
    if (table == std::end(kAllTables)) return "its table is unknown";
    if (!file_.has(kCountColumn) || file_.Integer(kCountColumn) < 0)
      return "its count is missing or negative";
    size_t version = 0;
    ContextIndex context = kNoContext;
    if (const std::string_view wrong = FindContext(*table, version, context); !wrong.empty())
      return wrong;
    return AddCounts(*table, version, context, file_.Integer(kCountColumn));
  }

  std::string_view FindContext(Table table, size_t& version, ContextIndex& context) {
    if (versions_.empty()) versions_.emplace_back();
    if (!file_.has(kMethodColumn)) {
      if (table != Table::kMonitors) return "its method is missing";
      context = versions_.front().profile.AddMonitorContext();
      return {};
    }
    const int64_t position = file_.Integer(kPositionColumn);
    if (position < INT32_MIN || position > INT32_MAX) return "its position is out of range";
    const auto hash = static_cast<uint64_t>(file_.Integer(kCodeColumn));
    for (version = 0;; ++version) {
      if (version == versions_.size()) versions_.emplace_back();
      Version& at = versions_[version];
      const std::optional<MethodIndex> method = at.names.MethodOf(file_.Text(kMethodColumn));
      if (!method) return "its method is not written as 'a.B.name(int)void'";
      if (at.Takes(*method, hash)) return AddContext(at, *method, position, context);
      if (version + 1 == kMostVersions) return "its method has more than 1,000 versions";
    }
  }

  std::string_view AddContext(Version& version, MethodIndex method, int64_t position,
                              ContextIndex& context) {
    ContextIndex outermost = kNoContext;
    if (file_.has(kThreadColumn) || file_.Integer(kPeriodColumn) != 0) {
      const int64_t period = file_.Integer(kPeriodColumn);
      const std::optional<std::string> thread = NameOf(file_.Text(kThreadColumn));
      if (!thread || period < 0 || period > UINT16_MAX) return "its thread or period is not valid";
      outermost = version.profile.AddContext(kNoContext, AddThread(version.profile, *thread),
                                             static_cast<Bci>(period));
    }
    const std::optional<ContextIndex> callers =
        version.names.AddCallers(file_.Text(kCallersColumn), outermost);
    if (!callers) return "its callers are not written as 'a.B.name(int)void:7 < …'";
    context = version.profile.AddContext(*callers, method, static_cast<Bci>(position));
    return {};
  }

  std::string_view AddCounts(Table table, size_t version, ContextIndex context, int64_t count) {
    Profile& profile = versions_[version].profile;
    switch (RecordKindOf(table)) {
      case RecordKind::kCount:
        profile.AddCount(table, context, count);
        return {};
      case RecordKind::kSuccessors:
        AddSuccessor({version, context}, count);
        return {};
      case RecordKind::kTypeCounts: {
        if (!file_.has(kTypeColumn)) {
          profile.AddTypeCounts(table, context, {});
          return {};
        }
        const std::optional<TypeIndex> type =
            versions_[version].names.TypeOf(file_.Text(kTypeColumn));
        if (!type) return "its type is not valid";
        const TypeCount one[] = {{*type, count}};
        profile.AddTypeCounts(table, context, one);
        return {};
      }
    }
    return {};
  }

  // The rows of a branch in a file of ours are one list, in its order. In another file they stand anywhere, and there may be
  // several of a successor.
  void AddSuccessor(BranchKey key, int64_t count) {
    const bool has = file_.has(kSuccessorColumn);
    const int64_t bci = file_.Integer(kSuccessorColumn);
    const int64_t index = file_.Integer(kSuccessorIndexColumn);
    if (!is_ours_) {
      Scattered& list = scattered_[key];
      if (has) list[{index, bci}] = SaturatingAdd(list[{index, bci}], count);
      return;
    }
    if (key != branch_key_) {
      EndBranch();
      branch_key_ = key;
    }
    if (has) branch_.push_back({bci, index, count});
  }

  void EndBranch() {
    if (branch_key_.second != kNoContext)
      versions_[branch_key_.first].profile.AddSuccessors(branch_key_.second, branch_);
    branch_.clear();
  }

  // Profiles may have numbered the successors in different ways: then they are numbered again, by their positions.
  void AddScattered(BranchKey key, const Scattered& list) {
    std::map<int64_t, int64_t> by_bci;
    std::set<int64_t> indexes;
    std::vector<Successor> all;
    for (const auto& [place, count] : list) {
      by_bci[place.second] = SaturatingAdd(by_bci[place.second], count);
      indexes.insert(place.first);
      all.push_back({place.second, place.first, count});
    }
    if (by_bci.size() < list.size() || indexes.size() < list.size()) {
      all.clear();
      for (const auto& [bci, count] : by_bci)
        all.push_back({bci, static_cast<int64_t>(all.size()), count});
    }
    versions_[key.first].profile.AddSuccessors(key.second, all);
  }

  // A method that is only a caller in one version is of the code that its own rows have, if all of them have the same.
  void ShareHashes() {
    if (versions_.size() < 2) return;
    std::unordered_map<std::string, uint64_t> known;
    constexpr uint64_t kSeveral = 1;  // no hash that a profile keeps
    for (const Version& version : versions_) {
      for (const MethodIndex method : MethodsOf(version.profile)) {
        const uint64_t hash = version.profile.CodeHash(method);
        if (hash == 0) continue;
        const auto [found, is_new] = known.try_emplace(TextOf(version.profile, method), hash);
        if (!is_new && found->second != hash) found->second = kSeveral;
      }
    }
    for (Version& version : versions_) {
      for (const MethodIndex method : MethodsOf(version.profile)) {
        const auto at = static_cast<size_t>(method);
        if (at < version.is_recorded.size() && version.is_recorded[at] != 0) continue;
        const auto found = known.find(TextOf(version.profile, method));
        if (found != known.end() && found->second != kSeveral)
          version.profile.SetCodeHash(method, found->second);
      }
    }
  }

  void AddParts(Profile& profile) const {
    AgentSection section;
    if (section.Add(kAgentKey, *file_.Metadata(kIprofKey)) && !section.parts().empty())
      profile.SetExtra(kAgentKey, section.ToJson());
  }

  static constexpr size_t kMostVersions = 1000;

  FileReader& file_;
  const std::string name_;
  const bool is_ours_;
  int64_t row_ = 0;
  std::deque<Version> versions_;
  BranchKey branch_key_ = {0, kNoContext};
  std::vector<Successor> branch_;
  std::map<BranchKey, Scattered> scattered_;
};

}  // namespace

Result<Profile> ReadProfileRows(RandomBytes bytes, const std::string& name) {
  Result<FileReader> file = FileReader::Open(std::move(bytes), name);
  if (!file.ok()) return file.status();
  return RowReader(*file, name).Read();
}

}  // namespace iprof::parquet
