#include "writer/ops/unite.h"

#include <vector>

#include "writer/profile/entry_copier.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/position_part.h"

namespace iprof {

Profile UniteByLargest(const Profile& first, const Profile& last) {
  Profile united;
  united.AddStandardTypes();
  EntryCopier copy_first(first, united);
  EntryCopier copy_last(last, united);
  copy_first.DeclareAll();
  copy_last.DeclareAll();
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
  WritePositionNotes(united);
  return united;
}

}  // namespace iprof
