#include "writer/ops/unite.h"

#include <algorithm>
#include <vector>

#include "writer/io/code_part.h"

namespace iprof {
namespace {

// Copies entries from one profile to another, where ids differ.
class Copier {
 public:
  Copier(const Profile& from, Profile& to) : from_(from), to_(to) {
    for (const TypeIndex type : TypesOf(from)) types_.push_back(to.AddType(from.TypeName(type)));
    for (const MethodIndex method : MethodsOf(from)) {
      std::vector<TypeIndex> signature;
      for (const TypeIndex type : from.Signature(method)) signature.push_back(Map(type));
      methods_.push_back(to.AddMethod(from.MethodName(method), signature));
      if (from.CodeHash(method) != 0) to.SetCodeHash(methods_.back(), from.CodeHash(method));
    }
  }

  ContextIndex Map(Table table, ContextIndex context) const {
    if (table == Table::kMonitors) return to_.AddMonitorContext();
    std::vector<Frame> frames = from_.Frames(context);
    for (Frame& frame : frames) frame.method = methods_[static_cast<uint32_t>(frame.method)];
    return to_.AddContext(frames);
  }

  void CopyEntry(Table table, EntryIndex entry) const {
    const ContextIndex context = Map(table, from_.EntryContext(table, entry));
    switch (RecordKindOf(table)) {
      case RecordKind::kCount:
        to_.AddCount(table, context, from_.EntryCount(table, entry));
        return;
      case RecordKind::kSuccessors:
        to_.AddSuccessors(context, from_.EntrySuccessors(entry));
        return;
      case RecordKind::kTypeCounts: {
        std::vector<TypeCount> counts;
        for (const TypeCount& count : from_.EntryTypeCounts(table, entry))
          counts.push_back({Map(count.type), count.count});
        to_.AddTypeCounts(table, context, counts);
        return;
      }
    }
  }

 private:
  TypeIndex Map(TypeIndex type) const { return types_[static_cast<uint32_t>(type)]; }

  const Profile& from_;
  Profile& to_;
  std::vector<TypeIndex> types_;
  std::vector<MethodIndex> methods_;
};

}  // namespace

Profile UniteByLargest(const Profile& first, const Profile& last) {
  Profile united;
  united.AddStandardTypes();
  const Copier copy_first(first, united);
  const Copier copy_last(last, united);
  // `first` in the ids of the result would be simpler, but entries cannot be replaced. So look for
  // the entry of the other input by its context in the result, which both share.
  for (const Table table : kAllTables) {
    std::vector<int64_t> of_last(united.context_count(), -1);
    const auto total_at = [](std::vector<int64_t>& totals, ContextIndex context) -> int64_t& {
      const auto at = static_cast<uint32_t>(context);
      if (at >= totals.size()) totals.resize(at + 1, -1);
      return totals[at];
    };
    std::vector<int64_t> of_first;
    for (const EntryIndex entry : EntriesOf(last, table))
      total_at(of_last, copy_last.Map(table, last.EntryContext(table, entry))) =
          last.EntryTotal(table, entry);
    for (const EntryIndex entry : EntriesOf(first, table)) {
      const ContextIndex context = copy_first.Map(table, first.EntryContext(table, entry));
      const int64_t total = first.EntryTotal(table, entry);
      if (total <= total_at(of_last, context)) continue;
      total_at(of_first, context) = total;
      copy_first.CopyEntry(table, entry);
    }
    for (const EntryIndex entry : EntriesOf(last, table)) {
      const ContextIndex context = copy_last.Map(table, last.EntryContext(table, entry));
      if (total_at(of_first, context) < 0) copy_last.CopyEntry(table, entry);
    }
  }
  for (const ExtraKey& extra : last.extras()) united.SetExtra(extra.key, extra.json);
  NoteCodeHashes(united);
  return united;
}

}  // namespace iprof
