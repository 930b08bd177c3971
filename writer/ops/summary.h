// Summary: the most important figures of a profile: totals, depths, the hottest methods and
// contexts, and how few contexts make up most of the total.
//
// Guarantees: results are sorted by count, largest first, then by name and context, so that outputs
// can be compared. Sums saturate.
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

struct TableSummary {
  Table table;
  size_t entries = 0;
  size_t methods = 0;  // distinct innermost methods
  int64_t total = 0;
  int64_t largest = 0;  // the largest total of one entry
};
TableSummary SummarizeTable(const Profile& profile, Table table);

// How deep the contexts of all entries are (the monitors' 0:0 left out).
struct DepthSummary {
  std::vector<size_t> entries_of_depth;  // [d]: entries of d frames; [0] is always 0
  size_t median = 0;
  size_t percentile_99 = 0;
  size_t deepest = 0;
};
DepthSummary SummarizeDepths(const Profile& profile, std::span<const Table> tables);

// The methods that were called, or where no calls are counted, that are in any entry.
size_t CountMethodsThatRan(const Profile& profile);

// How sure the numbers of methods are (writer/profile/sureness.h).
struct SurenessRow {
  Sureness::Kind kind = Sureness::Kind::kUnknown;
  size_t methods = 0;  // with calls
  int64_t calls = 0;
};
// One row for each kind that there is, the surest first. Empty: the profile has no marks.
std::vector<SurenessRow> SummarizeSureness(const Profile& profile);

struct HotMethod {
  MethodIndex method;
  int64_t count = 0;
  size_t entries = 0;
};
// Per innermost method, the sum of its entries in the table; in the order of first appearance, or the hottest first.
std::vector<HotMethod> CountsOfMethods(const Profile& profile, Table table);
std::vector<HotMethod> HottestMethods(const Profile& profile, Table table);

// All entries of a table, hottest first.
std::vector<EntryIndex> HottestEntries(const Profile& profile, Table table);

// The sampled stacks with the same methods: they differ by positions only. Example: 5 samples of "3:2<1:5", 2 of "3:2<1:9" and
// 4 of "3:2" are two of these, with counts of 7 and 4.
struct HotStack {
  int64_t count = 0;
  std::vector<EntryIndex> entries;  // hottest first
};
std::vector<HotStack> HottestStacks(const Profile& profile);

struct CutoffRow {
  double share;       // of the table's total
  size_t entries;     // this many of the hottest entries make up at least that share
  int64_t min_count;  // the smallest of them
};
std::vector<CutoffRow> DetailedSummary(const Profile& profile, Table table,
                                       std::span<const double> shares);

// "a.b.C.m(int)void:7 < a.b.D.main(java.lang.String[])void:3", innermost first. After `most` bytes,
// the remaining frames are only counted: " < ... 12 more".
std::string DescribeContext(const Profile& profile, ContextIndex context,
                            size_t most = kMostDescribedBytes);
// The callers only, without the innermost frame; empty if there are none.
std::string DescribeCallers(const Profile& profile, ContextIndex context,
                            size_t most = kMostDescribedBytes);

// Whether a method matches a pattern. With '*' or '?', the pattern must match the whole of
// "a.b.C.m" or "a.b.C.m(int)void"; without, any part of the latter.
bool MatchesMethod(const Profile& profile, MethodIndex method, std::string_view pattern);
// All methods that match a pattern, by name.
std::vector<MethodIndex> FindMethods(const Profile& profile, std::string_view pattern);

// The name without the signature: "a.b.C.m".
std::string QualifiedName(const Profile& profile, MethodIndex method);

}  // namespace iprof
