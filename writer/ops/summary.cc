#include "writer/ops/summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "writer/base/glob.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

// The order of names: declaring type, method, parameters, return type. Names are compared without
// building their text, because equal counts are frequent and texts can be long.
bool NameBefore(const Profile& profile, MethodIndex a, MethodIndex b) {
  if (a == b || b == kNoMethod) return false;
  if (a == kNoMethod) return true;
  const auto type_order = [&](TypeIndex x, TypeIndex y) {
    return x == y ? 0 : profile.TypeName(x).compare(profile.TypeName(y));
  };
  const auto x = profile.Signature(a);
  const auto y = profile.Signature(b);
  if (const int order = type_order(x[0], y[0]); order != 0) return order < 0;
  if (const int order = profile.MethodName(a).compare(profile.MethodName(b)); order != 0) {
    return order < 0;
  }
  for (size_t i = 2; i < std::min(x.size(), y.size()); ++i) {
    if (const int order = type_order(x[i], y[i]); order != 0) return order < 0;
  }
  if (x.size() != y.size() || x.size() < 2) return x.size() < y.size();
  return type_order(x[1], y[1]) < 0;
}

// Compares frame by frame, innermost first; a context comes before its continuations.
bool ContextBefore(const Profile& profile, ContextIndex a, ContextIndex b) {
  while (a != b && a != kNoContext && b != kNoContext) {
    const Frame x = profile.InnermostFrame(a);
    const Frame y = profile.InnermostFrame(b);
    if (x.method != y.method) return NameBefore(profile, x.method, y.method);
    if (x.bci != y.bci) return x.bci < y.bci;
    a = profile.Caller(a);
    b = profile.Caller(b);
  }
  return a == kNoContext && b != kNoContext;
}

}  // namespace

TableSummary SummarizeTable(const Profile& profile, Table table) {
  TableSummary summary{table};
  std::vector<bool> seen(profile.method_count());
  for (const EntryIndex entry : EntriesOf(profile, table)) {
    ++summary.entries;
    const int64_t total = profile.EntryTotal(table, entry);
    summary.total = SaturatingAdd(summary.total, total);
    summary.largest = std::max(summary.largest, total);
    const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
    if (frame.method == kNoMethod || seen[static_cast<size_t>(frame.method)]) continue;
    seen[static_cast<size_t>(frame.method)] = true;
    ++summary.methods;
  }
  return summary;
}

DepthSummary SummarizeDepths(const Profile& profile, std::span<const Table> tables) {
  DepthSummary summary;
  summary.entries_of_depth.resize(1);
  size_t entries = 0;
  for (const Table table : tables) {
    if (table == Table::kMonitors) continue;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const size_t depth = profile.Depth(profile.EntryContext(table, entry));
      if (depth >= summary.entries_of_depth.size()) summary.entries_of_depth.resize(depth + 1);
      ++summary.entries_of_depth[depth];
      ++entries;
    }
  }
  summary.deepest = summary.entries_of_depth.size() - 1;
  // The depth that this share of the entries does not exceed.
  const auto percentile = [&](size_t percent) {
    size_t seen = 0;
    for (size_t depth = 0; depth <= summary.deepest; ++depth) {
      seen += summary.entries_of_depth[depth];
      if (seen * 100 >= entries * percent) return depth;
    }
    return summary.deepest;
  };
  summary.median = percentile(50);
  summary.percentile_99 = percentile(99);
  return summary;
}

size_t CountMethodsThatRan(const Profile& profile) {
  if (const size_t called = SummarizeTable(profile, Table::kCalls).methods; called > 0)
    return called;
  std::unordered_set<uint32_t> ran;
  for (const Table table : kAllTables) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      profile.ForEachFrame(profile.EntryContext(table, entry), [&](Frame frame) {
        if (frame.method != kNoMethod) ran.insert(static_cast<uint32_t>(frame.method));
      });
    }
  }
  return ran.size();
}

std::vector<SurenessRow> SummarizeSureness(const Profile& profile) {
  std::vector<SurenessRow> rows;
  if (!profile.has_sureness()) return rows;
  const Sureness unmarked = SurenessWithoutMark(profile);
  std::map<Sureness::Kind, SurenessRow> by_kind;
  for (const HotMethod& method : HottestMethods(profile, Table::kCalls)) {
    if (method.method == kNoMethod) continue;
    const Sureness sureness = profile.SurenessOf(method.method);
    SurenessRow& row = by_kind[(sureness.is_present() ? sureness : unmarked).kind()];
    ++row.methods;
    row.calls = SaturatingAdd(row.calls, method.count);
  }
  for (auto& [kind, row] : by_kind) {
    row.kind = kind;
    rows.push_back(row);
  }
  return rows;
}

std::vector<HotMethod> CountsOfMethods(const Profile& profile, Table table) {
  std::vector<HotMethod> methods;
  std::unordered_map<uint32_t, size_t> at;
  for (const EntryIndex entry : EntriesOf(profile, table)) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
    if (frame.method == kNoMethod) continue;
    const auto [found, is_new] = at.emplace(static_cast<uint32_t>(frame.method), methods.size());
    if (is_new) methods.push_back({frame.method});
    HotMethod& method = methods[found->second];
    method.count = SaturatingAdd(method.count, profile.EntryTotal(table, entry));
    ++method.entries;
  }
  return methods;
}

std::vector<HotMethod> HottestMethods(const Profile& profile, Table table) {
  std::vector<HotMethod> methods = CountsOfMethods(profile, table);
  std::sort(methods.begin(), methods.end(), [&](const HotMethod& a, const HotMethod& b) {
    return a.count != b.count ? a.count > b.count : NameBefore(profile, a.method, b.method);
  });
  return methods;
}

std::vector<EntryIndex> HottestEntries(const Profile& profile, Table table) {
  struct Item {
    EntryIndex entry;
    ContextIndex context;
    int64_t count;
  };
  std::vector<Item> items;
  for (const EntryIndex entry : EntriesOf(profile, table)) {
    items.push_back({entry, profile.EntryContext(table, entry), profile.EntryTotal(table, entry)});
  }
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    return a.count != b.count ? a.count > b.count : ContextBefore(profile, a.context, b.context);
  });
  std::vector<EntryIndex> entries;
  for (const Item& item : items) entries.push_back(item.entry);
  return entries;
}

std::vector<HotStack> HottestStacks(const Profile& profile) {
  // A numbered stack and its next caller are another one. 0 is the empty stack.
  std::map<std::pair<size_t, MethodIndex>, size_t> numbers;
  std::unordered_map<size_t, size_t> at;  // by number
  std::vector<HotStack> stacks;
  for (const EntryIndex entry : HottestEntries(profile, Table::kSamples)) {
    size_t number = 0;
    profile.ForEachFrame(profile.EntryContext(Table::kSamples, entry), [&](Frame frame) {
      number = numbers.try_emplace({number, frame.method}, numbers.size() + 1).first->second;
    });
    const auto [found, is_new] = at.try_emplace(number, stacks.size());
    if (is_new) stacks.emplace_back();
    HotStack& stack = stacks[found->second];
    stack.count = SaturatingAdd(stack.count, profile.EntryCount(Table::kSamples, entry));
    stack.entries.push_back(entry);
  }
  std::stable_sort(stacks.begin(), stacks.end(),
                   [](const HotStack& a, const HotStack& b) { return a.count > b.count; });
  return stacks;
}

std::vector<CutoffRow> DetailedSummary(const Profile& profile, Table table,
                                       std::span<const double> shares) {
  std::vector<int64_t> counts;
  long double total = 0;  // wide enough for the sum of a saturated table
  for (const EntryIndex entry : EntriesOf(profile, table)) {
    counts.push_back(profile.EntryTotal(table, entry));
    total += static_cast<long double>(counts.back());
  }
  std::sort(counts.begin(), counts.end(), std::greater<>());
  std::vector<CutoffRow> rows;
  for (const double share : shares) {
    CutoffRow row{share, 0, 0};
    long double sum = 0;
    // 99.9 % of 1000 is 999, not 999.0000000001: allow for the binary representation of
    // decimal shares.
    const long double wanted = total * static_cast<long double>(share) * (1 - 1e-12L);
    while (row.entries < counts.size() && sum < wanted) {
      row.min_count = counts[row.entries++];
      sum += static_cast<long double>(row.min_count);
    }
    rows.push_back(row);
  }
  return rows;
}

std::string DescribeContext(const Profile& profile, ContextIndex context, size_t most) {
  std::string out;
  for (; context != kNoContext; context = profile.Caller(context)) {
    if (!out.empty()) out += " < ";
    if (out.size() > most) {
      return out + "... " + std::to_string(profile.Depth(context)) + " more";
    }
    const Frame frame = profile.InnermostFrame(context);
    out += profile.DescribeMethod(frame.method) + ":" + std::to_string(frame.bci);
  }
  return out;
}

std::string DescribeCallers(const Profile& profile, ContextIndex context, size_t most) {
  const ContextIndex caller = profile.Caller(context);
  return caller == kNoContext ? std::string() : DescribeContext(profile, caller, most);
}

std::string QualifiedName(const Profile& profile, MethodIndex method) {
  if (method == kNoMethod) return profile.DescribeMethod(method);
  std::string name(profile.TypeName(profile.DeclaringType(method)));
  if (name == kThreadType || name == kClassType) return profile.DescribeMethod(method);
  name += '.';
  name += profile.MethodName(method);
  return name;
}

bool MatchesMethod(const Profile& profile, MethodIndex method, std::string_view pattern) {
  const std::string whole = profile.DescribeMethod(method);
  if (pattern.find_first_of("*?") == std::string_view::npos) {
    return whole.find(pattern) != std::string::npos;
  }
  return GlobMatches(pattern, whole) || GlobMatches(pattern, QualifiedName(profile, method));
}

std::vector<MethodIndex> FindMethods(const Profile& profile, std::string_view pattern) {
  std::vector<MethodIndex> methods;
  for (const MethodIndex method : MethodsOf(profile)) {
    if (MatchesMethod(profile, method, pattern)) methods.push_back(method);
  }
  std::sort(methods.begin(), methods.end(),
            [&](MethodIndex a, MethodIndex b) { return NameBefore(profile, a, b); });
  return methods;
}

}  // namespace iprof
