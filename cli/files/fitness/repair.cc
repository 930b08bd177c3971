#include "cli/files/fitness/repair.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cli/files/fitness/class_store.h"
#include "cli/files/fitness/moved_positions.h"
#include "writer/base/lost_share.h"
#include "writer/names/generated_names.h"
#include "writer/profile/branch_outcomes.h"
#include "writer/profile/code_hashes.h"
#include "writer/profile/entry_copier.h"
#include "writer/profile/image/image_share.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/position_part.h"

namespace iprof::fitness {
namespace {

constexpr int64_t kLastStandardType = 9;

size_t At(MethodIndex method) { return static_cast<size_t>(method); }
size_t At(TypeIndex type) { return static_cast<size_t>(type); }

void Count(Apart& apart, int64_t weight) {
  ++apart.entries;
  apart.weight = SaturatingAdd(apart.weight, weight);
}

void Drop(RepairCounts& counts, Misfit why, int64_t weight) {
  Count(counts.dropped, weight);
  Count(counts.dropped_for[static_cast<size_t>(why)], weight);
}

// What must be written with every profile that was made of another one.
void FinishCopy(const Profile& from, Profile& made) {
  for (const ExtraKey& extra : from.extras()) made.SetExtra(extra.key, extra.json);
  TrimEstimates(made, from);
  NoteCodeHashes(made);
  WritePositionNotes(made);
  made.set_version(from.version());
}

// The first step: positions in methods with other code become those of the new code, or are left out. Types and methods
// have the same indices in both profiles.
class Mover {
 public:
  Mover(const Profile& from, const classpath::ClassPath& classes,
        const classpath::ClassPath* old_classes, bool has_application, RepairCounts& counts)
      : from_(from),
        new_(classes, has_application),
        counts_(counts),
        uses_(UsesOfMethods(from)),
        methods_(from.method_count()) {
    if (old_classes != nullptr) old_.emplace(*old_classes, true);
  }

  Profile Run() {
    Declare();
    for (const Table table : kAllTables) {
      for (const EntryIndex entry : EntriesOf(from_, table)) {
        counts_.weight = SaturatingAdd(counts_.weight, from_.EntryTotal(table, entry));
        Move(table, entry);
      }
    }
    FinishCopy(from_, made_);
    return std::move(made_);
  }

 private:
  struct Known {
    bool is_looked_at = false;
    bool is_changed = false;
    LoadedMethod* old_code = nullptr;
    LoadedMethod* new_code = nullptr;
    std::unique_ptr<MovedPositions> moved;  // if both are known
  };

  static LoadedMethod* FindIn(ClassStore& store, const Profile& profile, MethodIndex method) {
    const StoredClass& stored = store.Find(profile.TypeName(profile.DeclaringType(method)));
    if (stored.state != ClassState::kFound) return nullptr;
    return stored.loaded->Find(MethodKeyOf(profile, method));
  }

  Known& Look(MethodIndex method) {
    Known& known = methods_[At(method)];
    if (known.is_looked_at) return known;
    known.is_looked_at = true;
    known.new_code = FindIn(new_, from_, method);
    if (known.new_code == nullptr || !known.new_code->has_code()) return known;
    const uint64_t recorded = from_.CodeHash(method);
    const uint64_t newer = known.new_code->CodeHash();
    if (recorded != 0 && IsSameCode(recorded, newer)) return known;
    LoadedMethod* const old_code = old_ ? FindIn(*old_, from_, method) : nullptr;
    const uint64_t older = old_code != nullptr ? old_code->CodeHash() : 0;
    const bool is_recorded = older != 0 && (recorded == 0 || IsSameCode(recorded, older));
    known.is_changed = recorded != 0 || (is_recorded && !IsSameCode(older, newer));
    if (known.is_changed && is_recorded && newer != 0) {
      known.old_code = old_code;
      known.moved = std::make_unique<MovedPositions>(*old_code->Code(), *known.new_code->Code());
    }
    if (known.is_changed) ++counts_.changed_methods;
    return known;
  }

  void Declare() {
    for (const TypeIndex type : TypesOf(from_))
      made_.AddTypeWithId(from_.TypeName(type), from_.TypeFileId(type));
    for (const MethodIndex method : MethodsOf(from_)) {
      made_.AddMethodWithId(from_.MethodName(method), from_.Signature(method),
                            from_.MethodFileId(method));
      made_.AddSureness(method, from_.SurenessOf(method));
      made_.AddFirstCall(method, from_.FirstCallOf(method));
      // Without a hash and the old code, it is not known whether it has changed.
      const bool can_change = from_.CodeHash(method) != 0 || old_;
      const bool is_changed = can_change && Look(method).is_changed;
      if (!is_changed) made_.notes().Add(method, from_.notes(), method);
      if (from_.CodeHash(method) == 0) continue;
      made_.SetCodeHash(method,
                        is_changed ? Look(method).new_code->CodeHash() : from_.CodeHash(method));
    }
  }

  // The frame in the new code; nullopt: its position was not found.
  std::optional<Frame> Moved(Frame frame) {
    Known& known = Look(frame.method);
    if (!known.is_changed) return frame;
    const auto bci = known.moved != nullptr ? known.moved->Find(frame.bci) : std::nullopt;
    if (!bci) return std::nullopt;
    if (*bci != frame.bci) ++counts_.moved;
    return Frame{frame.method, *bci};
  }

  void KeepNotes(Frame from, Frame to) {
    const std::string_view callee = from_.notes().CalleeOf(from.method, from.bci);
    if (!callee.empty()) made_.notes().SetCallee(to.method, to.bci, callee);
    const uint16_t rest = from_.notes().RestOf(from.method, from.bci);
    if (rest != 0) made_.notes().SetRest(to.method, to.bci, rest);
  }

  void Move(Table table, EntryIndex entry) {
    if (table == Table::kMonitors) {
      made_.AddTypeCounts(table, made_.AddMonitorContext(), from_.EntryTypeCounts(table, entry));
      return;
    }
    const int64_t weight = from_.EntryTotal(table, entry);
    const std::vector<Frame> frames = from_.Frames(from_.EntryContext(table, entry));
    const Frame innermost = frames.front();
    // A call count has no position.
    auto first = table == Table::kCalls ? std::optional(innermost) : Moved(innermost);
    bool is_cut = false;
    if (!first && table == Table::kSamples) {
      first = Frame{innermost.method, 0};
      is_cut = true;
    }
    if (!first) return Drop(counts_, Misfit::kOtherCode, weight);
    std::vector<Frame> moved{*first};
    for (size_t caller = 1; caller < frames.size(); ++caller) {
      const auto frame = Moved(frames[caller]);
      is_cut |= !frame;
      if (!frame) break;
      moved.push_back(*frame);
    }
    if (moved.size() < frames.size() && table == Table::kSamples &&
        IsWorkOfJvm(from_, uses_, from_.EntryContext(table, entry)))
      return Drop(counts_, Misfit::kOtherCode, weight);
    if (is_cut && table == Table::kSamples)
      counts_.stacks_cut = SaturatingAdd(counts_.stacks_cut, weight);
    if (Look(innermost.method).is_changed && table != Table::kCalls) KeepNotes(innermost, *first);
    Add(table, entry, made_.AddContext(moved), innermost, weight);
  }

  void Add(Table table, EntryIndex entry, ContextIndex context, Frame from, int64_t weight) {
    if (RecordKindOf(table) == RecordKind::kCount) {
      made_.AddCount(table, context, from_.EntryCount(table, entry));
    } else if (RecordKindOf(table) == RecordKind::kTypeCounts) {
      made_.AddTypeCounts(table, context, from_.EntryTypeCounts(table, entry));
    } else if (const auto successors = MovedSuccessors(entry, from)) {
      made_.AddSuccessors(context, *successors);
    } else {
      Drop(counts_, Misfit::kOtherSuccessors, weight);
    }
  }

  // The same outcomes in the new code; nullopt: not each has one position there.
  std::optional<std::vector<Successor>> MovedSuccessors(EntryIndex entry, Frame from) {
    const auto span = from_.EntrySuccessors(entry);
    std::vector<Successor> successors(span.begin(), span.end());
    Known& known = Look(from.method);
    if (!known.is_changed) return successors;
    const Site before = known.old_code->SiteAt(from.bci);
    const Site after = known.new_code->SiteAt(*known.moved->Find(from.bci));
    if (before.targets.size() != after.targets.size()) return std::nullopt;
    std::map<int64_t, int64_t> forth;
    std::map<int64_t, int64_t> back;
    for (size_t way = 0; way < before.targets.size(); ++way) {
      const auto [to, new_to] = forth.emplace(before.targets[way], after.targets[way]);
      const auto [of, new_of] = back.emplace(after.targets[way], before.targets[way]);
      if (to->second != after.targets[way] || of->second != before.targets[way])
        return std::nullopt;
    }
    for (Successor& successor : successors) {
      if (successor.bci == kRepeatedSuccessorBci) continue;
      const auto to = forth.find(successor.bci);
      if (to == forth.end()) return std::nullopt;
      successor.bci = to->second;
    }
    return successors;
  }

  const Profile& from_;
  ClassStore new_;
  std::optional<ClassStore> old_;
  RepairCounts& counts_;
  const std::vector<MethodUse> uses_;  // by method
  std::vector<Known> methods_;
  Profile made_;
};

// The second step: leaves out what does not fit.
class Dropper {
 public:
  Dropper(const Profile& from, const classpath::ClassPath& classes, const FitnessOptions& options,
          RepairCounts& counts)
      : from_(from),
        classes_(classes),
        options_(options),
        counts_(counts),
        uses_(UsesOfMethods(from)) {}

  Profile Run() {
    Choose();
    Profile made;
    EntryCopier copier(from_, made, EntryCopier::Ids::kKeep);
    Declare(copier);
    for (const Kept& kept : kept_) Copy(kept, copier, made);
    FinishCopy(from_, made);
    return made;
  }

 private:
  struct Kept {
    Table table;
    EntryIndex entry;
    size_t frames;
    std::vector<TypeCount> types;
  };

  void Choose() {
    ForEachEntryFit(
        from_, classes_, options_, [&](Table table, EntryIndex entry, const EntryFit& fit) {
          const int64_t weight = from_.EntryTotal(table, entry);
          Kept kept{table, entry, fit.fitting_frames, {}};
          const bool is_kept = fit.fitting_frames > 0 && KeepTypes(kept, fit.wrong_types);
          if (!is_kept) return Drop(counts_, fit.misfit, weight);
          const size_t depth =
              table == Table::kMonitors ? 1 : from_.Depth(from_.EntryContext(table, entry));
          if (kept.frames < depth && table == Table::kSamples) {
            if (IsWorkOfJvm(from_, uses_, from_.EntryContext(table, entry)))
              return Drop(counts_, fit.misfit, weight);
            counts_.stacks_cut = SaturatingAdd(counts_.stacks_cut, weight);
          }
          kept_.push_back(std::move(kept));
        });
  }

  // False: the record is worth nothing without the classes that are gone.
  bool KeepTypes(Kept& kept, std::span<const TypeIndex> wrong) {
    if (RecordKindOf(kept.table) != RecordKind::kTypeCounts) return true;
    int64_t lost = 0;
    for (const TypeCount& count : from_.EntryTypeCounts(kept.table, kept.entry)) {
      if (std::find(wrong.begin(), wrong.end(), count.type) == wrong.end()) {
        kept.types.push_back(count);
      } else {
        lost = SaturatingAdd(lost, count.count);
      }
    }
    const auto all = static_cast<double>(from_.EntryTotal(kept.table, kept.entry));
    const bool is_exact_list =
        kept.table == Table::kVirtualInvokes || kept.table == Table::kInstanceOfs;
    if (kept.types.empty() || (is_exact_list && static_cast<double>(lost) > kMostLost * all))
      return false;
    counts_.types += wrong.size();
    return true;
  }

  void Declare(EntryCopier& copier) const {
    Existing existing = FindExisting(from_, classes_, options_);
    std::vector<bool>& methods = existing.methods;
    std::vector<bool>& types = existing.types;
    for (const Kept& kept : kept_) {
      for (const TypeCount& count : kept.types) types[At(count.type)] = true;
      if (kept.table == Table::kMonitors) continue;
      size_t frame_number = 0;
      from_.ForEachFrame(from_.EntryContext(kept.table, kept.entry), [&](Frame frame) {
        if (frame_number++ < kept.frames) methods[At(frame.method)] = true;
      });
    }
    for (const MethodIndex method : MethodsOf(from_)) {
      if (!methods[At(method)]) continue;
      for (const TypeIndex type : from_.Signature(method)) types[At(type)] = true;
    }
    for (const TypeIndex type : TypesOf(from_)) {
      if (types[At(type)] || from_.TypeFileId(type) <= kLastStandardType) copier.Map(type);
    }
    for (const MethodIndex method : MethodsOf(from_)) {
      if (methods[At(method)]) copier.Map(method);
    }
  }

  void Copy(const Kept& kept, EntryCopier& copier, Profile& made) const {
    if (RecordKindOf(kept.table) == RecordKind::kTypeCounts && kept.table == Table::kMonitors)
      return copier.CopyTypeCounts(kept.table, kept.entry, kept.types);
    const ContextIndex context = from_.EntryContext(kept.table, kept.entry);
    std::vector<Frame> frames;
    from_.ForEachFrame(context, [&](Frame frame) {
      if (frames.size() < kept.frames) frames.push_back({copier.Map(frame.method), frame.bci});
    });
    const ContextIndex at = made.AddContext(frames);
    if (RecordKindOf(kept.table) == RecordKind::kCount) {
      made.AddCount(kept.table, at, from_.EntryCount(kept.table, kept.entry));
    } else if (RecordKindOf(kept.table) == RecordKind::kSuccessors) {
      made.AddSuccessors(at, from_.EntrySuccessors(kept.entry));
    } else {
      std::vector<TypeCount> types;
      for (const TypeCount& count : kept.types)
        types.push_back({copier.Map(count.type), count.count});
      made.AddTypeCounts(kept.table, at, types);
    }
  }

  const Profile& from_;
  const classpath::ClassPath& classes_;
  const FitnessOptions& options_;
  RepairCounts& counts_;
  const std::vector<MethodUse> uses_;  // by method
  std::vector<Kept> kept_;
};

}  // namespace

RepairedProfile RepairProfile(const Profile& from, const classpath::ClassPath& classes,
                              const classpath::ClassPath* old_classes,
                              const FitnessOptions& options) {
  RepairedProfile repaired;
  const Profile moved =
      Mover(from, classes, old_classes, options.has_application, repaired.counts).Run();
  repaired.profile = Dropper(moved, classes, options, repaired.counts).Run();
  return repaired;
}

}  // namespace iprof::fitness
