#include "writer/ops/overlap.h"

#include <algorithm>
#include <map>
#include <utility>

#include "writer/ops/merge_mapping.h"
#include "writer/ops/method_versions.h"
#include "writer/ops/summary.h"
#include "writer/profile/branch_outcomes.h"
#include "writer/profile/io/code_part.h"

namespace iprof {
namespace {

// (context, bci or class of the outcome), with indices of the united profile.
using Key = std::pair<uint32_t, int64_t>;
struct Counts {
  int64_t a = 0;
  int64_t b = 0;
};
using Distribution = std::map<Key, Counts>;

template <typename Visit>
void ForEachCount(const Profile& profile, Table table, EntryIndex entry,
                  const IndexMapping& mapping, Visit visit) {
  const auto context = static_cast<uint32_t>(mapping(profile.EntryContext(table, entry)));
  switch (RecordKindOf(table)) {
    case RecordKind::kCount:
      visit(Key{context, 0}, profile.EntryCount(table, entry));
      break;
    case RecordKind::kSuccessors: {
      const auto successors = profile.EntrySuccessors(entry);
      const std::vector<int64_t> outcomes = OutcomesOf(successors);
      for (size_t i = 0; i < successors.size(); ++i) {
        visit(Key{context, outcomes[i]}, successors[i].count);
      }
      break;
    }
    case RecordKind::kTypeCounts:
      for (const TypeCount& t : profile.EntryTypeCounts(table, entry)) {
        visit(Key{context, static_cast<int64_t>(mapping(t.type))}, t.count);
      }
      break;
  }
}

TableOverlap OverlapOf(Table table, const std::vector<Counts>& counts) {
  TableOverlap result;
  result.table = table;
  long double total_a = 0;
  long double total_b = 0;
  for (const Counts& c : counts) {
    result.total_a = SaturatingAdd(result.total_a, c.a);
    result.total_b = SaturatingAdd(result.total_b, c.b);
    total_a += static_cast<long double>(c.a);
    total_b += static_cast<long double>(c.b);
    if (c.a > 0 && c.b > 0) ++result.keys_in_both;
    if (c.a > 0 && c.b == 0) ++result.keys_only_in_a;
    if (c.a == 0 && c.b > 0) ++result.keys_only_in_b;
  }
  if (total_a == 0 && total_b == 0) return result;
  long double overlap = 0;
  if (total_a > 0 && total_b > 0) {
    for (const Counts& c : counts) {
      overlap += std::min(static_cast<long double>(c.a) / total_a,
                          static_cast<long double>(c.b) / total_b);
    }
  }
  result.overlap = std::min(1.0, static_cast<double>(overlap));
  return result;
}

// Adds how sure its methods are to those of the united profile.
void AddSureness(const Profile& from, const IndexMapping& mapping, Profile& united) {
  const Sureness unmarked = SurenessWithoutMark(from);
  for (const Table table : kAllTables) {
    if (!IsOfMethod(table)) continue;
    for (const EntryIndex entry : EntriesOf(from, table)) {
      const MethodIndex method = from.InnermostFrame(from.EntryContext(table, entry)).method;
      if (method == kNoMethod) continue;
      const Sureness sureness = from.SurenessOf(method);
      united.AddSureness(mapping(method), sureness.is_present() ? sureness : unmarked);
    }
  }
}

}  // namespace

ProfileOverlap ComputeOverlap(const Profile& a, const Profile& b, std::string_view method_pattern) {
  Profile united;
  const IndexMapping of_a = MapInto(a, united);
  const IndexMapping of_b = MapInto(b, united);
  if (a.has_sureness() || b.has_sureness()) {
    AddSureness(a, of_a, united);
    AddSureness(b, of_b, united);
  }
  ProfileOverlap result;
  std::map<Sureness::Kind, SurenessOverlap> by_sureness;
  std::map<MethodIndex, MethodOverlap> methods;
  if (!method_pattern.empty()) {
    for (const MethodIndex method : FindMethods(united, method_pattern)) {
      methods[method].method = united.DescribeMethod(method);
    }
  }
  for (const Table table : kAllTables) {
    Distribution distribution;
    for (const EntryIndex entry : EntriesOf(a, table)) {
      ForEachCount(a, table, entry, of_a, [&](const Key& key, int64_t count) {
        int64_t& sum = distribution[key].a;
        sum = SaturatingAdd(sum, count);
      });
    }
    for (const EntryIndex entry : EntriesOf(b, table)) {
      ForEachCount(b, table, entry, of_b, [&](const Key& key, int64_t count) {
        int64_t& sum = distribution[key].b;
        sum = SaturatingAdd(sum, count);
      });
    }
    std::vector<Counts> all;
    std::map<MethodIndex, std::vector<Counts>> of_method;
    std::map<Sureness::Kind, std::vector<Counts>> of_kind;
    for (const auto& [key, counts] : distribution) {
      all.push_back(counts);
      const Frame frame = united.InnermostFrame(ContextIndex{std::get<0>(key)});
      if (methods.contains(frame.method)) of_method[frame.method].push_back(counts);
      if (united.has_sureness() && IsOfMethod(table) && frame.method != kNoMethod)
        of_kind[united.SurenessOf(frame.method).kind()].push_back(counts);
    }
    result.tables.push_back(OverlapOf(table, all));
    for (const auto& [method, counts] : of_method) {
      const TableOverlap overlap = OverlapOf(table, counts);
      if (overlap.overlap) methods[method].tables.push_back(overlap);
    }
    for (const auto& [kind, counts] : of_kind) {
      by_sureness[kind].sureness = kind;
      const TableOverlap overlap = OverlapOf(table, counts);
      if (overlap.overlap) by_sureness[kind].tables.push_back(overlap);
    }
  }
  for (auto& [kind, overlap] : by_sureness) result.by_sureness.push_back(std::move(overlap));
  for (auto& [method, overlap] : methods) result.methods.push_back(std::move(overlap));
  std::sort(result.methods.begin(), result.methods.end(),
            [](const MethodOverlap& x, const MethodOverlap& y) { return x.method < y.method; });
  return result;
}

}  // namespace iprof
