#include "writer/ops/method_versions.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "writer/ops/merge_mapping.h"

namespace iprof {
namespace {

constexpr size_t kMostExamples = 5;

size_t At(MethodIndex method) { return static_cast<size_t>(method); }

// Whether the table's entries count something about their innermost method.
bool IsOfMethod(Table table) { return table != Table::kSamples && table != Table::kMonitors; }

MethodIndex MethodOf(const Profile& profile, Table table, EntryIndex entry) {
  return profile.InnermostFrame(profile.EntryContext(table, entry)).method;
}

// Adds those entries of a profile to another that `takes` selects.
template <typename Takes, typename Weigh>
void AddEntries(const Profile& from, const IndexMapping& mapping, const Takes& takes,
                const Weigh& weigh, Profile& into) {
  std::vector<Successor> successors;
  std::vector<TypeCount> types;
  for (const Table table : kAllTables) {
    for (const EntryIndex entry : EntriesOf(from, table)) {
      if (!takes(table, MethodOf(from, table, entry))) continue;
      const ContextIndex context = mapping(from.EntryContext(table, entry));
      switch (RecordKindOf(table)) {
        case RecordKind::kCount:
          into.AddCount(table, context, weigh(table, from.EntryCount(table, entry)));
          break;
        case RecordKind::kSuccessors: {
          const auto list = from.EntrySuccessors(entry);
          successors.assign(list.begin(), list.end());
          for (Successor& s : successors) s.count = weigh(table, s.count);
          into.AddSuccessors(context, successors);
          break;
        }
        case RecordKind::kTypeCounts:
          types.clear();
          for (const TypeCount& t : from.EntryTypeCounts(table, entry))
            types.push_back({mapping(t.type), weigh(table, t.count)});
          into.AddTypeCounts(table, context, types);
          break;
      }
    }
  }
}

int64_t Unchanged(Table /*table*/, int64_t count) { return count; }

// One version of a method of the result.
struct Candidate {
  uint64_t hash;
  int64_t weight = 0;
  int64_t newest_ms = 0;
};

bool IsBetter(const Candidate& a, const Candidate& b, PreferredVersion preferred) {
  const bool by_time = preferred == PreferredVersion::kNewest;
  return std::tuple(by_time ? b.newest_ms : b.weight, by_time ? b.weight : b.newest_ms, a.hash) <
         std::tuple(by_time ? a.newest_ms : a.weight, by_time ? a.weight : a.newest_ms, b.hash);
}

std::vector<int64_t> WeightsIn(const Profile& profile) {
  std::vector<int64_t> weights(profile.method_count());
  for (const Table table : kAllTables) {
    if (!IsOfMethod(table)) continue;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const MethodIndex method = MethodOf(profile, table, entry);
      if (method == kNoMethod) continue;
      int64_t& weight = weights[At(method)];
      weight = SaturatingAdd(weight, profile.EntryTotal(table, entry));
    }
  }
  return weights;
}

}  // namespace

std::vector<VersionedProfile::Version> VersionedProfile::VersionsIn(const Profile& profile,
                                                                    int64_t newest_ms) {
  std::vector<Version> versions(profile.method_count());
  for (const Table table : kAllTables) {
    if (!IsOfMethod(table)) continue;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const MethodIndex method = MethodOf(profile, table, entry);
      if (method != kNoMethod) versions[At(method)] = {true, profile.CodeHash(method), newest_ms};
    }
  }
  return versions;
}

void VersionedProfile::Add(const Profile& input, int64_t newest_ms, const Weigh& weigh) {
  Add(input, VersionsIn(input, newest_ms), true, weigh);
}

void VersionedProfile::Add(Profile&& input, int64_t newest_ms) {
  if (layers_.empty()) {
    std::vector<Version> versions = VersionsIn(input, newest_ms);
    layers_.push_back({std::move(input), std::move(versions)});
    layers_.back().profile.RemoveExtras();
    return;
  }
  const Profile taken = std::move(input);
  Add(taken, newest_ms, Unchanged);
}

void VersionedProfile::Add(VersionedProfile&& other) {
  if (layers_.empty()) {
    layers_ = std::move(other.layers_);
    other.layers_.clear();
    return;
  }
  for (size_t l = 0; l < other.layers_.size(); ++l) {
    Add(other.layers_[l].profile, other.layers_[l].versions, l == 0, Unchanged);
    other.layers_[l] = Layer();
  }
  other.layers_.clear();
}

// Puts each method's counts into the first layer that has the same version of it, or none.
// `has_rest`: also adds what does not belong to a method's version.
void VersionedProfile::Add(const Profile& input, const std::vector<Version>& versions,
                           bool has_rest, const Weigh& weigh) {
  std::vector<bool> is_left(versions.size());
  size_t left = 0;
  for (size_t m = 0; m < versions.size(); ++m) {
    is_left[m] = versions[m].is_used;
    left += versions[m].is_used ? 1 : 0;
  }
  for (size_t l = 0; left > 0 || (has_rest && l == 0); ++l) {
    if (l == layers_.size()) layers_.emplace_back();
    Layer& layer = layers_[l];
    const IndexMapping mapping = MapInto(input, layer.profile);
    layer.versions.resize(layer.profile.method_count());
    std::vector<bool> is_here(versions.size());
    for (size_t m = 0; m < versions.size(); ++m) {
      if (!is_left[m]) continue;
      Version& there = layer.versions[At(mapping.methods[m])];
      if (there.is_used && there.hash != versions[m].hash) continue;
      there = {true, versions[m].hash, std::max(there.newest_ms, versions[m].newest_ms)};
      is_here[m] = true;
      is_left[m] = false;
      --left;
    }
    AddEntries(
        input, mapping,
        [&](Table table, MethodIndex method) {
          if (!IsOfMethod(table) || method == kNoMethod) return has_rest && l == 0;
          return bool{is_here[At(method)]};
        },
        weigh, layer.profile);
  }
}

Profile VersionedProfile::Finish(PreferredVersion preferred, VersionReport* report) {
  *report = {};
  Profile result;
  // The mappings into the result come first, so that all methods are known.
  std::vector<IndexMapping> mappings;
  for (size_t l = 1; l < layers_.size(); ++l) {
    if (l == 1) mappings.push_back(MapInto(layers_[0].profile, result));
    mappings.push_back(MapInto(layers_[l].profile, result));
  }
  if (layers_.size() == 1) {
    result = std::move(layers_[0].profile);
    for (size_t m = 0; m < layers_[0].versions.size(); ++m) {
      const Version& version = layers_[0].versions[m];
      result.SetCodeHash(MethodIndex{static_cast<uint32_t>(m)}, version.hash);
    }
    layers_.clear();
    return result;
  }

  std::vector<std::vector<Candidate>> candidates(result.method_count());
  for (size_t l = 0; l < layers_.size(); ++l) {
    const std::vector<int64_t> weights = WeightsIn(layers_[l].profile);
    for (size_t m = 0; m < layers_[l].versions.size(); ++m) {
      const Version& version = layers_[l].versions[m];
      if (!version.is_used || version.hash == 0) continue;
      std::vector<Candidate>& known = candidates[At(mappings[l].methods[m])];
      auto same = std::find_if(known.begin(), known.end(),
                               [&](const Candidate& c) { return c.hash == version.hash; });
      if (same == known.end()) same = known.insert(known.end(), Candidate{version.hash});
      same->weight = SaturatingAdd(same->weight, weights[m]);
      same->newest_ms = std::max(same->newest_ms, version.newest_ms);
    }
  }

  std::vector<std::pair<int64_t, std::string>> examples;
  for (const MethodIndex method : MethodsOf(result)) {
    std::vector<Candidate>& known = candidates[At(method)];
    if (known.empty()) continue;
    std::sort(known.begin(), known.end(),
              [&](const Candidate& a, const Candidate& b) { return IsBetter(a, b, preferred); });
    result.SetCodeHash(method, known.front().hash);
    if (known.size() == 1) continue;
    int64_t left_out = 0;
    for (size_t c = 1; c < known.size(); ++c) left_out = SaturatingAdd(left_out, known[c].weight);
    examples.emplace_back(left_out, result.DescribeMethod(method));
  }
  report->methods = examples.size();
  std::sort(examples.begin(), examples.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (size_t e = 0; e < std::min(examples.size(), kMostExamples); ++e)
    report->examples.push_back(std::move(examples[e].second));

  for (size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    AddEntries(
        layer.profile, mappings[l],
        [&](Table table, MethodIndex method) {
          if (!IsOfMethod(table) || table == Table::kCalls || method == kNoMethod) return true;
          const uint64_t hash = layer.versions[At(method)].hash;
          return hash == 0 || hash == result.CodeHash(mappings[l](method));
        },
        Unchanged, result);
  }
  layers_.clear();
  return result;
}

}  // namespace iprof
