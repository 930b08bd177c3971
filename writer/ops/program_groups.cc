#include "writer/ops/program_groups.h"

#include <algorithm>
#include <utility>

#include "writer/base/hash.h"
#include "writer/names/jdk_classes.h"

namespace iprof {

ProgramGroups::Shares ProgramGroups::SharesOf(const Profile& profile) {
  std::unordered_map<MethodIndex, double> counts;
  double total = 0;
  for (const Table table : {Table::kCalls, Table::kSamples}) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const MethodIndex method = profile.InnermostFrame(profile.EntryContext(table, entry)).method;
      if (method == kNoMethod || IsJdkClass(profile.TypeName(profile.DeclaringType(method))))
        continue;
      const auto count = static_cast<double>(profile.EntryTotal(table, entry));
      if (count <= 0) continue;
      counts[method] += count;
      total += count;
    }
    if (total > 0) break;
  }
  Shares shares;
  for (const auto& [method, count] : counts)
    shares[HashBytes(profile.DescribeMethod(method), ProcessHashSeed())] += count / total;
  return shares;
}

bool ProgramGroups::BelongTogether(const Group& a, const Group& b) {
  const bool a_is_smaller = a.shares.size() < b.shares.size();
  const Group& smaller = a_is_smaller ? a : b;
  const Group& larger = a_is_smaller ? b : a;
  double of_smaller = 0;
  double of_larger = 0;
  for (const auto& [method, share] : smaller.shares) {
    const auto found = larger.shares.find(method);
    if (found == larger.shares.end()) continue;
    of_smaller += share;
    of_larger += found->second;
  }
  return of_smaller >= kLeastShared * smaller.inputs || of_larger >= kLeastShared * larger.inputs;
}

void ProgramGroups::Unite(std::vector<Group>& groups, Group added) {
  for (;;) {  // the larger group may belong to what its parts did not
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return BelongTogether(group, added);
    });
    if (found == groups.end()) break;
    Group other = std::move(*found);
    groups.erase(found);
    if (other.shares.size() > added.shares.size()) std::swap(other, added);
    added.first = std::min(added.first, other.first);
    added.inputs += other.inputs;
    for (const auto& [method, share] : other.shares) added.shares[method] += share;
  }
  if (groups.size() < kMostGroups) groups.push_back(std::move(added));
}

void ProgramGroups::Add(size_t input, const Profile& profile) {
  Shares shares = SharesOf(profile);
  if (shares.empty()) return;
  const std::lock_guard lock(lock_);
  Unite(groups_, {input, 1, std::move(shares)});
}

std::vector<size_t> ProgramGroups::Firsts() const {
  const std::lock_guard lock(lock_);
  std::vector<size_t> firsts;
  for (const Group& group : groups_) firsts.push_back(group.first);
  std::sort(firsts.begin(), firsts.end());
  return firsts;
}

}  // namespace iprof
