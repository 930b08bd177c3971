#include "agent/vm/classes/hot_classes.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace iprof::vm {

ClassNames HotClasses(const Profile& profile, double share) {
  std::map<TypeIndex, double> work;
  double total = 0;
  const auto add = [&](Table table, EntryIndex entry, int64_t count) {
    const MethodIndex method = profile.InnermostFrame(profile.EntryContext(table, entry)).method;
    work[profile.DeclaringType(method)] += static_cast<double>(count);
    total += static_cast<double>(count);
  };
  for (const EntryIndex entry : EntriesOf(profile, Table::kCalls))
    add(Table::kCalls, entry, profile.EntryCount(Table::kCalls, entry));
  for (const EntryIndex entry : EntriesOf(profile, Table::kConditionals)) {
    for (const Successor& successor : profile.EntrySuccessors(entry))
      add(Table::kConditionals, entry, successor.count);
  }
  std::vector<std::pair<double, TypeIndex>> ranked;
  for (const auto& [type, done] : work) {
    if (done > 0) ranked.emplace_back(done, type);
  }
  std::sort(ranked.begin(), ranked.end(), std::greater<>());
  ClassNames hot;
  double sum = 0;
  double last = 0;
  for (const auto& [done, type] : ranked) {
    if (sum >= share * total && done < last) break;
    hot.emplace(profile.TypeName(type));
    sum += done;
    last = done;
  }
  return hot;
}

}  // namespace iprof::vm
