#include "writer/ops/hot_set.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "writer/base/code_length.h"

namespace iprof {

MethodWeights WeightsOfMethods(const Profile& profile) {
  MethodWeights weights;
  for (const Table table : {Table::kCalls, Table::kConditionals}) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
      if (frame.method == kNoMethod) continue;
      weights[static_cast<uint32_t>(frame.method)] +=
          static_cast<double>(profile.EntryTotal(table, entry));
    }
  }
  return weights;
}

std::set<uint32_t> HottestByWeight(const MethodWeights& weights) {
  std::vector<std::pair<double, uint32_t>> ranked;
  double total = 0;
  for (const auto& [method, weight] : weights) {
    if (weight <= 0) continue;
    ranked.emplace_back(weight, method);
    total += weight;
  }
  std::sort(ranked.begin(), ranked.end(), std::greater<>());
  std::set<uint32_t> hot;
  double sum = 0;
  double last = 0;
  for (const auto& [weight, method] : ranked) {
    if (sum >= kHotShare * total && weight < last) break;
    hot.insert(method);
    sum += weight;
    last = weight;
  }
  return hot;
}

HotSet HotSetOf(const Profile& profile) {
  const MethodWeights weights = WeightsOfMethods(profile);
  const std::set<uint32_t> hot = HottestByWeight(weights);
  HotSet set;
  set.methods = hot.size();
  for (const auto& [method, weight] : weights) {
    if (weight <= 0) continue;
    ++set.all_methods;
    const uint32_t bytes = CodeLengthIn(profile.CodeHash(MethodIndex{method}));
    if (bytes == 0) ++set.unknown_lengths;
    set.all_code_bytes += bytes;
    if (hot.contains(method)) set.code_bytes += bytes;
  }
  return set;
}

}  // namespace iprof
