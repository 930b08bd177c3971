#include "writer/profile/image/site_receivers.h"

#include <algorithm>
#include <tuple>

namespace iprof {
namespace {

bool SameNameAndParameters(const Profile& profile, MethodIndex a, MethodIndex b) {
  const auto of_a = profile.Signature(a);
  const auto of_b = profile.Signature(b);
  constexpr size_t kParameters = 2;  // after the declaring type and the return type
  return of_a.size() == of_b.size() && profile.MethodName(a) == profile.MethodName(b) &&
         of_a.size() >= kParameters &&
         std::equal(of_a.begin() + kParameters, of_a.end(), of_b.begin() + kParameters);
}

}  // namespace

SiteReceivers SiteReceivers::Of(const Profile& profile) {
  SiteReceivers sites(profile);
  for (const EntryIndex entry : EntriesOf(profile, Table::kVirtualInvokes)) {
    const ContextIndex context = profile.EntryContext(Table::kVirtualInvokes, entry);
    if (profile.Caller(context) != kNoContext) continue;
    sites.Add(profile.InnermostFrame(context),
              profile.EntryTypeCounts(Table::kVirtualInvokes, entry));
  }
  return sites;
}

void SiteReceivers::Add(Frame site, std::span<const TypeCount> receivers) {
  if (methods_of_.empty()) {
    for (const MethodIndex method : MethodsOf(methods_))
      methods_of_[methods_.DeclaringType(method)].push_back(method);
  }
  Counted& counted = sites_[KeyOf(site)];
  for (const TypeCount& receiver : receivers) {
    int64_t& sum = counted.receivers[receiver.type];
    sum = SaturatingAdd(sum, receiver.count);
    counted.calls = SaturatingAdd(counted.calls, receiver.count);
  }
}

int64_t SiteReceivers::Calls(Frame site) const {
  const auto found = sites_.find(KeyOf(site));
  return found == sites_.end() ? 0 : found->second.calls;
}

std::set<TypeIndex> SiteReceivers::Selected(Frame site) const {
  const auto found = sites_.find(KeyOf(site));
  if (found == sites_.end()) return {};
  const auto least = static_cast<double>(found->second.calls) * kLeastDispatchedPercent / 100;
  std::vector<std::tuple<int64_t, int64_t, TypeIndex>> ranked;
  for (const auto& [type, count] : found->second.receivers) {
    if (count > 0 && static_cast<double>(count) >= least)
      ranked.emplace_back(-count, methods_.TypeFileId(type), type);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), kMostDispatched));
  std::set<TypeIndex> selected;
  for (const auto& [count, id, type] : ranked) selected.insert(type);
  return selected;
}

bool SiteReceivers::Overrides(TypeIndex type, MethodIndex callee) const {
  const auto found = methods_of_.find(type);
  return found != methods_of_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](MethodIndex own) { return SameNameAndParameters(methods_, own, callee); });
}

bool SiteReceivers::OnlySelectedExplain(const Receivers& receivers,
                                        const std::set<TypeIndex>& selected,
                                        MethodIndex callee) const {
  return std::all_of(receivers.begin(), receivers.end(), [&](const auto& receiver) {
    const TypeIndex type = receiver.first;
    return selected.contains(type) ||
           (type != methods_.DeclaringType(callee) && Overrides(type, callee));
  });
}

bool SiteReceivers::Agrees(Frame site, const std::set<MethodIndex>& callees) const {
  const auto found = sites_.find(KeyOf(site));
  if (found == sites_.end()) return true;
  const std::set<TypeIndex> selected = Selected(site);
  std::set<TypeIndex> owners;
  for (const MethodIndex callee : callees) owners.insert(methods_.DeclaringType(callee));
  std::set<TypeIndex> own;  // selected classes with an own method
  for (const TypeIndex type : selected) {
    const bool overrides = std::any_of(callees.begin(), callees.end(),
                                       [&](MethodIndex callee) { return Overrides(type, callee); });
    if (!overrides) continue;
    own.insert(type);
    if (!owners.contains(type)) return false;  // it was not sampled
  }
  std::vector<MethodIndex> left;
  for (const MethodIndex callee : callees) {
    if (!own.contains(methods_.DeclaringType(callee))) left.push_back(callee);
  }
  const size_t inherits = selected.size() - own.size();
  if (inherits == 0) return left.empty();
  return inherits == 1 && left.size() == 1 &&
         OnlySelectedExplain(found->second.receivers, selected, left.front());
}

}  // namespace iprof
