#include "writer/profile/image/image_profile.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "writer/profile/branch_outcomes.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

constexpr int64_t kLastStandardType = 9;

template <typename Index>
size_t At(Index index) {
  return static_cast<size_t>(index);
}

class Filter {
 public:
  Filter(const Profile& from, ImageTarget target, SampleForm form)
      : from_(from),
        target_(target),
        can_note_(AgentSection::Of(from).can_hold_parts()),
        cuts_samples_(!can_note_ || form == SampleForm::kCut),
        threads_(from),
        uses_(UsesOfMethods(from)) {}

  ImageProfile Run() {
    for (const Table table : kAllTables) ChooseEntries(table);
    CopyTypesAndMethods();
    for (const Table table : kAllTables) CopyEntries(table);
    CopyExtras();
    made_.profile.set_version(from_.version());
    return std::move(made_);
  }

 private:
  // The part of an entry's context that is kept: frames [first, last), innermost first.
  struct Kept {
    EntryIndex entry;
    StackCut cut;
  };

  void ChooseEntries(Table table) {
    methods_named_.resize(from_.method_count());
    types_named_.resize(from_.type_count());
    for (const EntryIndex entry : EntriesOf(from_, table)) {
      const ContextIndex context = from_.EntryContext(table, entry);
      frame_uses_.clear();
      frames_.clear();
      from_.ForEachFrame(context, [&](Frame frame) {
        frames_.push_back(frame);
        if (frame.method != kNoMethod) frame_uses_.push_back(&uses_[At(frame.method)]);
      });
      made_.share.Add(table, frame_uses_, from_.EntryTotal(table, entry), target_);
      const bool is_usable = IsUsable(table, frame_uses_, target_);
      const bool stays_whole = table == Table::kSamples && !cuts_samples_;
      if (!is_usable && !stays_whole) continue;
      StackCut cut = CutOf(table);
      const size_t whole = frames_.size() - (threads_.Is(frames_.back().method) ? 1 : 0);
      if (is_usable && (cut.last - cut.first != whole || cut.first_at_0)) ++made_.contexts_cut;
      if (stays_whole) cut = {0, frames_.size(), false};
      for (size_t i = cut.first; i < cut.last; ++i) NameMethod(frames_[i].method);
      if (RecordKindOf(table) == RecordKind::kTypeCounts) {
        for (const TypeCount& t : from_.EntryTypeCounts(table, entry)) {
          types_named_[At(t.type)] = true;
        }
      }
      kept_[At(table)].push_back({entry, cut});
    }
  }

  StackCut CutOf(Table table) const {
    if (frame_uses_.empty()) return {0, frames_.size(), false};
    if (table == Table::kSamples) return CutStack(frame_uses_, target_);
    return {0, CutCallers(frame_uses_, target_), false};
  }

  void NameMethod(MethodIndex method) {
    if (method != kNoMethod) methods_named_[At(method)] = true;
  }

  void CopyTypesAndMethods() {
    for (const MethodIndex method : MethodsOf(from_)) {
      if (!methods_named_[At(method)] && !AreCallsUsable(uses_[At(method)].For(target_))) {
        ++made_.methods_left_out;
        continue;
      }
      methods_named_[At(method)] = true;
      for (const TypeIndex type : from_.Signature(method)) types_named_[At(type)] = true;
    }
    types_.resize(from_.type_count());
    for (const TypeIndex type : TypesOf(from_)) {
      const bool standard = from_.TypeFileId(type) <= kLastStandardType;
      // A class is machinery if all its methods are.
      if (!standard && !types_named_[At(type)] &&
          FindMachinery(from_.TypeName(type), {}) != nullptr) {
        ++made_.types_left_out;
        continue;
      }
      types_[At(type)] = made_.profile.AddTypeWithId(from_.TypeName(type), from_.TypeFileId(type));
    }
    methods_.resize(from_.method_count(), kNoMethod);
    std::vector<TypeIndex> signature;
    for (const MethodIndex method : MethodsOf(from_)) {
      if (!methods_named_[At(method)]) continue;
      signature.clear();
      for (const TypeIndex type : from_.Signature(method)) signature.push_back(types_[At(type)]);
      methods_[At(method)] = made_.profile.AddMethodWithId(from_.MethodName(method), signature,
                                                           from_.MethodFileId(method));
      made_.profile.SetCodeHash(methods_[At(method)], from_.CodeHash(method));
      made_.profile.AddSureness(methods_[At(method)], from_.SurenessOf(method));
      made_.profile.AddFirstCall(methods_[At(method)], from_.FirstCallOf(method));
      made_.profile.notes().Add(methods_[At(method)], from_.notes(), method);
    }
  }

  ContextIndex CopyContext(Table table, const Kept& kept) {
    const ContextIndex context = from_.EntryContext(table, kept.entry);
    if (from_.InnermostFrame(context).method == kNoMethod) {
      return made_.profile.AddMonitorContext();
    }
    frames_.clear();
    size_t number = 0;
    from_.ForEachFrame(context, [&](Frame frame) {
      const size_t at = number++;
      if (at < kept.cut.first || at >= kept.cut.last) return;
      const bool at_0 = kept.cut.first_at_0 && at == kept.cut.first;
      frames_.push_back({methods_[At(frame.method)], at_0 ? 0 : frame.bci});
    });
    return made_.profile.AddContext(frames_);
  }

  void CopyEntries(Table table) {
    constexpr uint32_t kNone = UINT32_MAX;
    struct Group {
      ContextIndex context;
      uint32_t end;  // of its entries, once they are ordered
    };
    std::vector<Group> groups;       // in the order of their first entry
    std::vector<uint32_t> group_of;  // by context
    std::vector<uint32_t> groups_of_entries;
    groups_of_entries.reserve(kept_[At(table)].size());
    for (const Kept& kept : kept_[At(table)]) {
      const ContextIndex context = CopyContext(table, kept);
      if (At(context) >= group_of.size()) group_of.resize(2 * At(context) + 1, kNone);
      uint32_t& group = group_of[At(context)];
      if (group == kNone) {
        group = static_cast<uint32_t>(groups.size());
        groups.push_back({context, 0});
      }
      ++groups[group].end;
      groups_of_entries.push_back(group);
    }
    uint32_t begin = 0;
    for (Group& group : groups) begin += std::exchange(group.end, begin);
    std::vector<EntryIndex> entries(groups_of_entries.size());
    for (size_t k = 0; k < entries.size(); ++k)
      entries[groups[groups_of_entries[k]].end++] = kept_[At(table)][k].entry;
    begin = 0;
    for (const Group& group : groups) {
      CopyRecords(table, group.context, std::span(entries).subspan(begin, group.end - begin));
      begin = group.end;
    }
  }

  void CopyExtras() {
    AgentSection section;
    for (const ExtraKey& extra : from_.extras()) {
      const bool moves = can_note_ && section.Add(extra.key, extra.json);
      if (!moves) made_.profile.SetExtra(extra.key, extra.json);
    }
    if (!can_note_) return;
    section.SetPart(kImagePart, ImageNote{target_, true}.ToJson());
    if (cuts_samples_) {
      section.RemovePart(kSplitPart);
    } else if (made_.profile.entry_count(Table::kSamples) > 0 && HasWholeStacks(from_)) {
      section.SetPart(kSplitPart, kCompleteSplit);
    }
    made_.profile.SetExtra(kAgentKey, section.ToJson());
    TrimEstimates(made_.profile, from_);
    NoteCodeHashes(made_.profile);
    WritePositionNotes(made_.profile);
  }

  void CopyRecords(Table table, ContextIndex context, std::span<const EntryIndex> entries) {
    switch (RecordKindOf(table)) {
      case RecordKind::kCount:
        for (const EntryIndex entry : entries) {
          made_.profile.AddCount(table, context, from_.EntryCount(table, entry));
        }
        break;
      case RecordKind::kSuccessors: {
        if (entries.size() == 1) {
          OneTripleEach(from_.EntrySuccessors(entries[0]), &successors_);
          made_.profile.AddSuccessors(context, successors_);
          break;
        }
        std::vector<std::span<const Successor>> lists;
        for (const EntryIndex entry : entries) lists.push_back(from_.EntrySuccessors(entry));
        made_.profile.AddSuccessors(context, OneTripleEach(SumOfSuccessors(lists)));
        break;
      }
      case RecordKind::kTypeCounts:
        CopyTypeCounts(table, context, entries);
        break;
    }
  }

  void CopyTypeCounts(Table table, ContextIndex context, std::span<const EntryIndex> entries) {
    constexpr size_t kFew = 8;  // are found without a table
    std::vector<TypeCount>& sum = sum_;
    sum.clear();
    std::unordered_map<uint32_t, size_t> place;  // by type, once they are more than a few
    const auto place_of = [&](TypeIndex type) {
      if (place.empty()) {
        const auto found = std::find_if(sum.begin(), sum.end(),
                                        [&](const TypeCount& t) { return t.type == type; });
        if (found != sum.end() || sum.size() < kFew)
          return static_cast<size_t>(found - sum.begin());
        for (size_t t = 0; t < sum.size(); ++t)
          place.emplace(static_cast<uint32_t>(sum[t].type), t);
      }
      return place.emplace(static_cast<uint32_t>(type), sum.size()).first->second;
    };
    for (const EntryIndex entry : entries) {
      for (const TypeCount& t : from_.EntryTypeCounts(table, entry)) {
        const TypeIndex type = types_[At(t.type)];
        const size_t at = place_of(type);
        if (at == sum.size()) sum.push_back({type, 0});
        sum[at].count = SaturatingAdd(sum[at].count, t.count);
      }
    }
    if (entries.size() > 1) {
      std::stable_sort(sum.begin(), sum.end(),
                       [](const TypeCount& a, const TypeCount& b) { return a.count > b.count; });
    }
    made_.profile.AddTypeCounts(table, context, sum);
  }

  const Profile& from_;
  const ImageTarget target_;
  const bool can_note_;
  const bool cuts_samples_;  // otherwise they are cut when they are written (sample_split.h)
  const ThreadFrames threads_;
  const std::vector<MethodUse> uses_;  // by method
  ImageProfile made_;
  std::vector<TypeCount> sum_;
  std::vector<Successor> successors_;
  std::vector<Frame> frames_;
  std::vector<const MethodUse*> frame_uses_;
  std::vector<bool> methods_named_;
  std::vector<bool> types_named_;
  std::vector<TypeIndex> types_;      // in the result
  std::vector<MethodIndex> methods_;  // in the result; kNoMethod: left out
  std::vector<Kept> kept_[kTableCount];
};

}  // namespace

ImageProfile MakeImageProfile(const Profile& from, ImageTarget target, SampleForm form) {
  return Filter(from, target, form).Run();
}

}  // namespace iprof
