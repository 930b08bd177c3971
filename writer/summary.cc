#include "writer/summary.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace iprof {
namespace {

// Sorted by count, largest first; equal counts by a text that is computed only when it is needed.
template <typename Item, typename CountOf, typename TextOf>
void SortHottest(std::vector<Item>& items, CountOf count_of, TextOf text_of) {
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item& a, const Item& b) { return count_of(a) > count_of(b); });
  for (auto run = items.begin(); run != items.end();) {
    const auto end = std::find_if(run, items.end(),
                                  [&](const Item& i) { return count_of(i) != count_of(*run); });
    if (end - run > 1) {
      std::vector<std::pair<std::string, Item>> named;
      for (auto at = run; at != end; ++at) named.emplace_back(text_of(*at), *at);
      std::stable_sort(named.begin(), named.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      std::transform(named.begin(), named.end(), run, [](const auto& n) { return n.second; });
    }
    run = end;
  }
}

}  // namespace

TableSummary SummarizeTable(const Profile& profile, Table table) {
  TableSummary summary{table};
  std::unordered_set<uint32_t> methods;
  for (const EntryIndex entry : EntriesOf(profile, table)) {
    ++summary.entries;
    const int64_t total = profile.EntryTotal(table, entry);
    summary.total = SaturatingAdd(summary.total, total);
    summary.largest = std::max(summary.largest, total);
    const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
    if (frame.method != kNoMethod) methods.insert(static_cast<uint32_t>(frame.method));
  }
  summary.methods = methods.size();
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
  // The depth that at least this share of the entries does not exceed.
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

std::vector<HotMethod> HottestMethods(const Profile& profile, Table table) {
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
  SortHottest(
      methods, [](const HotMethod& m) { return m.count; },
      [&](const HotMethod& m) { return profile.DescribeMethod(m.method); });
  return methods;
}

std::vector<EntryIndex> HottestEntries(const Profile& profile, Table table) {
  struct Item {
    EntryIndex entry;
    int64_t count;
  };
  std::vector<Item> items;
  for (const EntryIndex entry : EntriesOf(profile, table)) {
    items.push_back({entry, profile.EntryTotal(table, entry)});
  }
  SortHottest(
      items, [](const Item& i) { return i.count; },
      [&](const Item& i) {
        return DescribeContext(profile, profile.EntryContext(table, i.entry));
      });
  std::vector<EntryIndex> entries;
  for (const Item& item : items) entries.push_back(item.entry);
  return entries;
}

std::vector<CutoffRow> DetailedSummary(const Profile& profile, Table table,
                                       std::span<const double> shares) {
  std::vector<int64_t> counts;
  long double total = 0;  // wide enough that a saturated table still sums up
  for (const EntryIndex entry : EntriesOf(profile, table)) {
    counts.push_back(profile.EntryTotal(table, entry));
    total += static_cast<long double>(counts.back());
  }
  std::sort(counts.begin(), counts.end(), std::greater<>());
  std::vector<CutoffRow> rows;
  for (const double share : shares) {
    CutoffRow row{share, 0, 0};
    long double sum = 0;
    // 99.9 % of 1000 is 999, not 999.0000000001: shares are decimal, so allow for the binary one's
    // error.
    const long double wanted = total * static_cast<long double>(share) * (1 - 1e-12L);
    while (row.entries < counts.size() && sum < wanted) {
      row.min_count = counts[row.entries++];
      sum += static_cast<long double>(row.min_count);
    }
    rows.push_back(row);
  }
  return rows;
}

std::string DescribeContext(const Profile& profile, ContextIndex context) {
  std::string out;
  profile.ForEachFrame(context, [&](Frame frame) {
    if (!out.empty()) out += " < ";
    out += profile.DescribeMethod(frame.method) + ":" + std::to_string(frame.bci);
  });
  return out;
}

std::string DescribeCallers(const Profile& profile, ContextIndex context) {
  const ContextIndex caller = profile.Caller(context);
  return caller == kNoContext ? std::string() : DescribeContext(profile, caller);
}

bool WildcardMatch(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string QualifiedName(const Profile& profile, MethodIndex method) {
  if (method == kNoMethod) return profile.DescribeMethod(method);
  std::string name(profile.TypeName(profile.DeclaringType(method)));
  name += '.';
  name += profile.MethodName(method);
  return name;
}

bool MatchesMethod(const Profile& profile, MethodIndex method, std::string_view pattern) {
  const std::string whole = profile.DescribeMethod(method);
  if (pattern.find_first_of("*?") == std::string_view::npos) {
    return whole.find(pattern) != std::string::npos;
  }
  return WildcardMatch(pattern, whole) || WildcardMatch(pattern, QualifiedName(profile, method));
}

std::vector<MethodIndex> FindMethods(const Profile& profile, std::string_view pattern) {
  std::vector<std::pair<std::string, MethodIndex>> found;
  for (const MethodIndex method : MethodsOf(profile)) {
    if (MatchesMethod(profile, method, pattern)) {
      found.emplace_back(profile.DescribeMethod(method), method);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<MethodIndex> methods;
  for (const auto& [name, method] : found) methods.push_back(method);
  return methods;
}

}  // namespace iprof
