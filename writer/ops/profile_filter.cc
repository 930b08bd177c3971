#include "writer/ops/profile_filter.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "writer/base/glob.h"
#include "writer/base/join_text.h"
#include "writer/names/jdk_classes.h"
#include "writer/ops/event_samples.h"
#include "writer/profile/entry_copier.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

constexpr int64_t kLastStandardType = 9;

template <typename Index>
size_t At(Index index) {
  return static_cast<size_t>(index);
}

bool MatchesOne(const std::vector<std::string>& patterns, std::string_view name) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return GlobMatches(pattern, name); });
}

bool IsIn(std::string_view package, std::string_view class_name) {
  return class_name.size() > package.size() && class_name.starts_with(package) &&
         class_name[package.size()] == '.';
}

// "[[La.B;" is "a.B".
std::string_view ElementOf(std::string_view class_name) {
  if (!class_name.starts_with('[')) return class_name;
  class_name.remove_prefix(std::min(class_name.find_first_not_of('['), class_name.size()));
  if (!class_name.starts_with('L') || !class_name.ends_with(';')) return class_name;
  return class_name.substr(1, class_name.size() - 2);
}

class Selection {
 public:
  // `cuts`: what of each sample has to have a wanted class; empty: all of it.
  Selection(const Profile& from, const ProfileFilter& filter, std::vector<StackCut> cuts)
      : from_(from), filter_(filter), cuts_(std::move(cuts)) {
    const ThreadFrames threads(from);
    for (const TypeIndex type : TypesOf(from))
      is_wanted_.push_back(!threads.Is(type) && from.TypeName(type) != kClassType &&
                           filter.Wants(from.TypeName(type)));
  }

  Profile Run() {
    Profile made;
    EntryCopier copier(from_, made, EntryCopier::Ids::kKeep);
    types_named_.resize(from_.type_count());
    methods_named_.resize(from_.method_count());
    for (const Table table : kAllTables) Choose(table);
    Declare(copier);
    for (const Table table : kAllTables) {
      for (const EntryIndex entry : kept_[At(table)]) {
        if (table == Table::kMonitors) {
          copier.CopyTypeCounts(table, entry, WantedTypes(entry));
        } else {
          copier.CopyEntry(table, entry);
        }
      }
    }
    for (const ExtraKey& extra : from_.extras()) made.SetExtra(extra.key, extra.json);
    if (const EventTables events = EventsOf(made); !events.empty())
      SetEvents(made, FilterEvents(events, filter_));
    TrimEstimates(made, from_);
    NoteCodeHashes(made);
    WritePositionNotes(made);
    made.set_version(from_.version());
    return made;
  }

 private:
  bool IsWanted(MethodIndex method) const { return is_wanted_[At(from_.DeclaringType(method))]; }

  std::vector<TypeCount> WantedTypes(EntryIndex monitors) const {
    std::vector<TypeCount> wanted;
    for (const TypeCount& count : from_.EntryTypeCounts(Table::kMonitors, monitors)) {
      if (is_wanted_[At(count.type)]) wanted.push_back(count);
    }
    return wanted;
  }

  bool IsKept(Table table, EntryIndex entry) const {
    if (table == Table::kMonitors) return !WantedTypes(entry).empty();
    const ContextIndex context = from_.EntryContext(table, entry);
    if (table != Table::kSamples) return IsWanted(from_.InnermostFrame(context).method);
    StackCut looked_at{0, SIZE_MAX, false};
    // A build that is given nothing of a stack is given no class that is not wanted.
    if (!cuts_.empty() && !cuts_[At(entry)].empty()) looked_at = cuts_[At(entry)];
    bool any = false;
    size_t number = 0;
    from_.ForEachFrame(context, [&](Frame frame) {
      const size_t at = number++;
      if (at >= looked_at.first && at < looked_at.last) any = any || IsWanted(frame.method);
    });
    return any;
  }

  void Choose(Table table) {
    for (const EntryIndex entry : EntriesOf(from_, table)) {
      if (!IsKept(table, entry)) continue;
      kept_[At(table)].push_back(entry);
      from_.ForEachFrame(from_.EntryContext(table, entry), [&](Frame frame) {
        if (frame.method != kNoMethod) methods_named_[At(frame.method)] = true;
      });
      if (RecordKindOf(table) != RecordKind::kTypeCounts) continue;
      for (const TypeCount& count : from_.EntryTypeCounts(table, entry)) {
        if (table != Table::kMonitors || is_wanted_[At(count.type)])
          types_named_[At(count.type)] = true;
      }
    }
  }

  void Declare(EntryCopier& copier) {
    for (const MethodIndex method : MethodsOf(from_)) {
      if (IsWanted(method)) methods_named_[At(method)] = true;
      if (!methods_named_[At(method)]) continue;
      for (const TypeIndex type : from_.Signature(method)) types_named_[At(type)] = true;
    }
    for (const TypeIndex type : TypesOf(from_)) {
      if (types_named_[At(type)] || is_wanted_[At(type)] ||
          from_.TypeFileId(type) <= kLastStandardType)
        copier.Map(type);
    }
    for (const MethodIndex method : MethodsOf(from_)) {
      if (methods_named_[At(method)]) copier.Map(method);
    }
  }

  const Profile& from_;
  const ProfileFilter& filter_;
  const std::vector<StackCut> cuts_;
  std::vector<bool> is_wanted_;  // by type
  std::vector<bool> types_named_;
  std::vector<bool> methods_named_;
  std::vector<EntryIndex> kept_[kTableCount];
};

}  // namespace

bool ProfileFilter::Wants(std::string_view class_name) const {
  const std::string_view name = ElementOf(class_name);
  if (MatchesOne(exclude, name)) return false;
  if (app && IsJdkClass(class_name)) return false;
  if (include.empty() && packages.empty()) return true;
  return MatchesOne(include, name) ||
         std::ranges::any_of(packages,
                             [&](const std::string& package) { return IsIn(package, name); });
}

std::string ProfileFilter::Describe() const {
  std::vector<std::string> wanted = include;
  for (const std::string& package : packages) wanted.push_back(package + ".*");
  std::string text = JoinText(wanted, ", ");
  if (app) text += text.empty() ? "outside the JDK" : " outside the JDK";
  if (!exclude.empty())
    text += (text.empty() ? "all without " : " without ") + JoinText(exclude, ", ");
  return text;
}

Profile FilterProfile(const Profile& from, const ProfileFilter& filter) {
  return Selection(from, filter, {}).Run();
}

Profile FilterForBuild(const Profile& from, const ProfileFilter& filter) {
  return Selection(from, filter, CutsOfSamples(from)).Run();
}

}  // namespace iprof
