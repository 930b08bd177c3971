#include "writer/profile/io/context_form.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "writer/profile/branch_outcomes.h"
#include "writer/profile/entry_copier.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/json_object.h"
#include "writer/profile/io/position_part.h"

namespace iprof {
namespace {

constexpr std::string_view kPartText = R"({"form":"inclusive"})";
// The key of a profile that had none before it became inclusive.
constexpr std::string_view kSectionText = R"({"version":1,"contexts":{"form":"inclusive"}})";

// The numbers of an entry of any table: a count, successors, or types in place of the bci and the index.
using Items = std::vector<Successor>;
using Sums = std::map<int64_t, int64_t>;  // by type, or by the bci of the outcome

bool IsStack(Table table) { return table == Table::kSamples || table == Table::kMonitors; }

Items ItemsOf(const Profile& profile, Table table, EntryIndex entry) {
  Items items;
  switch (RecordKindOf(table)) {
    case RecordKind::kCount:
      items.push_back({0, 0, profile.EntryCount(table, entry)});
      break;
    case RecordKind::kSuccessors: {
      const std::span<const Successor> successors = profile.EntrySuccessors(entry);
      items.assign(successors.begin(), successors.end());
      break;
    }
    case RecordKind::kTypeCounts:
      for (const TypeCount& each : profile.EntryTypeCounts(table, entry))
        items.push_back(
            {static_cast<int64_t>(each.type), static_cast<int64_t>(each.type), each.count});
      break;
  }
  return items;
}

Sums SumsOf(const Items& items) {
  const std::vector<int64_t> keys = OutcomesOf(items);
  Sums sums;
  for (size_t i = 0; i < items.size(); ++i) {
    int64_t& sum = sums[keys[i]];
    sum = SaturatingAdd(sum, items[i].count);
  }
  return sums;
}

Items ItemsOf(const Sums& sums, bool are_successors) {
  Items items;
  for (const auto& [key, count] : sums)
    items.push_back({key, are_successors ? static_cast<int64_t>(items.size()) : key, count});
  return items;
}

void Add(Items& to, const Items& more, bool are_successors) {
  if (SameShape(to, more)) {
    for (size_t i = 0; i < to.size(); ++i) to[i].count = SaturatingAdd(to[i].count, more[i].count);
    return;
  }
  Sums sums = SumsOf(to);
  for (const auto& [key, count] : SumsOf(more)) sums[key] = SaturatingAdd(sums[key], count);
  to = ItemsOf(sums, are_successors);
}

// False if there is less.
bool Subtract(Items& from, const Items& less, bool are_successors) {
  if (SameShape(from, less)) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (from[i].count < less[i].count) return false;
      from[i].count -= less[i].count;
    }
    return true;
  }
  Sums sums = SumsOf(from);
  for (const auto& [key, count] : SumsOf(less)) {
    const auto found = sums.find(key);
    if (count > (found == sums.end() ? 0 : found->second)) return false;
    if (found != sums.end()) found->second -= count;
  }
  from = ItemsOf(sums, are_successors);
  return true;
}

int64_t TotalOf(const Items& items) {
  int64_t total = 0;
  for (const Successor& each : items) total = SaturatingAdd(total, each.count);
  return total;
}

// The entries of one table, which are changed.
class ContextTable {
 public:
  ContextTable(const Profile& from, Table table, Profile& made)
      : table_(table), are_successors_(table == Table::kConditionals), made_(made) {
    for (const EntryIndex entry : EntriesOf(from, table)) {
      std::vector<Frame> frames = from.Frames(from.EntryContext(table, entry));
      Add(frames, ItemsOf(from, table, entry));
    }
  }

  Table table() const { return table_; }

  void Pool() {
    const std::vector<Entry> all = std::exchange(entries_, {});
    at_.clear();
    for (const Entry& entry : all) Add(std::span(entry.frames).first(1), entry.items);
  }

  // Adds each entry to all shorter contexts.
  Status Include() {
    if (Status status = CheckSums(); !status.ok()) return status;
    KeepItems();
    for (size_t i = 0; i < given_items_.size(); ++i) {
      const std::vector<Frame> frames = entries_[i].frames;
      for (size_t length = 1; length < frames.size(); ++length)
        Add(std::span(frames).first(length), given_items_[i]);
    }
    return {};
  }

  // Subtracts each entry from the next shorter context that has one, and removes what is then empty.
  Status Exclude() {
    KeepItems();
    for (size_t i = 0; i < entries_.size(); ++i) {
      Entry* const shorter = ShorterThan(entries_[i].frames);
      if (shorter == nullptr) continue;
      shorter->is_changed = true;
      if (!Subtract(shorter->items, given_items_[i], are_successors_)) return TooFew(*shorter);
    }
    std::erase_if(entries_,
                  [](const Entry& entry) { return entry.is_changed && TotalOf(entry.items) == 0; });
    return {};
  }

  void Write() {
    for (Entry& entry : entries_) {
      const ContextIndex context = made_.AddContext(entry.frames);
      switch (RecordKindOf(table_)) {
        case RecordKind::kCount:
          made_.AddCount(table_, context, entry.items.front().count);
          break;
        case RecordKind::kSuccessors:
          made_.AddSuccessors(context, entry.items);
          break;
        case RecordKind::kTypeCounts:
          if (entry.is_changed) Order(entry.items);
          made_.AddTypeCounts(table_, context, TypesOf(entry.items));
          break;
      }
    }
  }

 private:
  struct Entry {
    std::vector<Frame> frames;
    Items items;
    bool is_changed = false;
  };

  void Add(std::span<const Frame> frames, const Items& items) {
    const auto [at, is_new] = at_.try_emplace(made_.AddContext(frames), entries_.size());
    if (is_new) {
      entries_.push_back({{frames.begin(), frames.end()}, items});
      return;
    }
    Entry& entry = entries_[at->second];
    iprof::Add(entry.items, items, are_successors_);
    entry.is_changed = true;
  }

  void KeepItems() {
    for (const Entry& entry : entries_) given_items_.push_back(entry.items);
  }

  Entry* ShorterThan(const std::vector<Frame>& frames) {
    for (size_t length = frames.size() - 1; length > 0; --length) {
      const auto found = at_.find(made_.AddContext(std::span(frames).first(length)));
      if (found != at_.end()) return &entries_[found->second];
    }
    return nullptr;
  }

  // Sums that do not fit would be cut, and could not be subtracted again.
  Status CheckSums() const {
    std::map<std::pair<MethodIndex, Bci>, int64_t> sums;
    for (const Entry& entry : entries_) {
      const auto [at, is_first] =
          sums.try_emplace({entry.frames[0].method, entry.frames[0].bci}, 0);
      at->second = SaturatingAdd(at->second, TotalOf(entry.items));
      if (at->second == INT64_MAX && (!is_first || entry.frames.size() > 1))
        return Status(Code::kLimit, "the counts of " + NameOf(entry) +
                                        " and of its other callers do not fit into 63 bits");
    }
    return {};
  }

  std::string NameOf(const Entry& entry) const {
    return made_.FormatContext(made_.AddContext(entry.frames)) + " in " +
           std::string(TableKey(table_));
  }

  Status TooFew(const Entry& entry) const {
    return Status(Code::kBadInput,
                  "contexts are said to be inclusive, but " + NameOf(entry) +
                      " has fewer executions than the longer contexts that begin with it");
  }

  // The largest first, equal ones by name.
  void Order(Items& items) const {
    std::erase_if(items, [](const Successor& each) { return each.count == 0; });
    std::ranges::sort(items, {}, [&](const Successor& each) {
      return std::tuple(-each.count, made_.TypeName(TypeIndex{static_cast<uint32_t>(each.bci)}));
    });
  }

  static std::vector<TypeCount> TypesOf(const Items& items) {
    std::vector<TypeCount> types;
    for (const Successor& each : items)
      types.push_back({TypeIndex{static_cast<uint32_t>(each.bci)}, each.count});
    return types;
  }

  const Table table_;
  const bool are_successors_;
  Profile& made_;
  std::vector<Entry> entries_;
  std::unordered_map<ContextIndex, size_t> at_;
  std::vector<Items> given_items_;  // before they were changed
};

// `change` changes each table that has counts by caller. `part`: what the section says of the form; empty: nothing.
template <typename Change>
Result<Profile> Rewrite(const Profile& from, std::string_view part, const Change& change) {
  Profile made;
  EntryCopier copier(from, made, EntryCopier::Ids::kKeep);
  copier.DeclareAll();  // in their order, so both profiles have the same indices
  for (const Table table : kAllTables) {
    if (IsStack(table)) {
      for (const EntryIndex entry : EntriesOf(from, table)) copier.CopyEntry(table, entry);
      continue;
    }
    ContextTable entries(from, table, made);
    if (Status status = change(entries); !status.ok()) return status;
    entries.Write();
  }
  for (const ExtraKey& extra : from.extras()) {
    if (!part.empty() || extra.json != kSectionText) made.SetExtra(extra.key, extra.json);
  }
  made.set_version(from.version());
  if (part.empty()) {
    RemoveAgentPart(made, kContextsPart);
  } else {
    SetAgentPart(made, kContextsPart, part);
    if (!IsInclusive(made))
      return Status(Code::kUnsupported,
                    "the key iprofagent of the profile has a version that this iprof does not "
                    "know, so it cannot say that contexts are inclusive");
  }
  NoteCodeHashes(made);
  WritePositionNotes(made);
  return made;
}

}  // namespace

bool IsInclusivePart(std::string_view json) {
  std::string form;
  const bool read = ParseObject(json, kContextsPart, [&](JsonScanner& in, const std::string& name) {
    return name == "form" ? in.ReadText(&form) : in.SkipValue();
  });
  return read && form == "inclusive";
}

bool IsInclusive(const Profile& profile) {
  const auto part = AgentPart(profile, kContextsPart);
  return part && IsInclusivePart(*part);
}

bool HasCallers(const Profile& profile, Table table) {
  for (const EntryIndex entry : EntriesOf(profile, table)) {
    if (profile.Caller(profile.EntryContext(table, entry)) != kNoContext) return true;
  }
  return false;
}

Profile WithoutCallers(const Profile& disjoint, std::span<const Table> tables) {
  Result<Profile> made = Rewrite(disjoint, {}, [&](ContextTable& entries) {
    if (std::ranges::find(tables, entries.table()) != tables.end()) entries.Pool();
    return Status();
  });
  return std::move(*made);
}

Result<Profile> ToInclusive(const Profile& disjoint) {
  return Rewrite(disjoint, kPartText, [](ContextTable& table) { return table.Include(); });
}

Result<Profile> ToDisjoint(const Profile& inclusive) {
  return Rewrite(inclusive, {}, [](ContextTable& table) { return table.Exclude(); });
}

}  // namespace iprof
