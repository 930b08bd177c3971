#include "writer/ops/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "writer/model/branch_outcomes.h"
#include "writer/ops/merge_mapping.h"
#include "writer/ops/summary.h"

namespace iprof {
namespace {

struct Side {
  const Profile& profile;
  IndexMapping mapping;
};

struct Pair {
  std::optional<EntryIndex> a;
  std::optional<EntryIndex> b;
};

double Share(int64_t part, int64_t total) {
  return total == 0 ? 0 : static_cast<double>(part) / static_cast<double>(total);
}

std::string NameOfSuccessor(int64_t bci) {
  return bci == kRepeatedSuccessorBci ? "no bci" : "bci " + std::to_string(bci);
}

class Differ {
 public:
  Differ(const Profile& a, const Profile& b, const DiffOptions& options)
      : options_(options), a_{a, MapInto(a, united_)}, b_{b, MapInto(b, united_)} {}

  ProfileDiff Run() {
    for (const Table table : kAllTables) DiffTable(table);
    std::sort(diff_.items.begin(), diff_.items.end(), [](const DiffItem& x, const DiffItem& y) {
      if (x.importance != y.importance) return x.importance > y.importance;
      return std::tie(x.table, x.context) < std::tie(y.table, y.context);
    });
    diff_.methods_only_in_a = MethodsOnlyIn(a_, b_);
    diff_.methods_only_in_b = MethodsOnlyIn(b_, a_);
    diff_.types_only_in_a = TypesOnlyIn(a_, b_);
    diff_.types_only_in_b = TypesOnlyIn(b_, a_);
    return std::move(diff_);
  }

 private:
  // The outcome's key is a successor's bci or a class in the united profile.
  using Outcomes = std::map<int64_t, int64_t>;

  void DiffTable(Table table) {
    std::map<ContextIndex, Pair> pairs;
    for (const EntryIndex e : EntriesOf(a_.profile, table)) {
      pairs[a_.mapping(a_.profile.EntryContext(table, e))].a = e;
    }
    for (const EntryIndex e : EntriesOf(b_.profile, table)) {
      pairs[b_.mapping(b_.profile.EntryContext(table, e))].b = e;
    }
    total_a_ = a_.profile.Total(table);
    total_b_ = b_.profile.Total(table);
    for (const auto& [context, pair] : pairs) DiffEntry(table, context, pair);
  }

  void DiffEntry(Table table, ContextIndex context, const Pair& pair) {
    DiffItem item;
    item.table = table;
    item.total_a = pair.a ? a_.profile.EntryTotal(table, *pair.a) : 0;
    item.total_b = pair.b ? b_.profile.EntryTotal(table, *pair.b) : 0;
    item.share_a = Share(item.total_a, total_a_);
    item.share_b = Share(item.total_b, total_b_);
    item.weight = std::max(item.share_a, item.share_b);
    // A site with only zeros contains no information, so it is ignored.
    if (item.total_a == 0 && item.total_b == 0) return;
    if (item.total_a == 0 || item.total_b == 0) {
      item.kind = item.total_b == 0 ? DiffKind::kOnlyInA : DiffKind::kOnlyInB;
      item.movement = 1;
    } else if (RecordKindOf(table) == RecordKind::kCount) {
      item.movement = std::abs(item.share_a - item.share_b) / item.weight;
    } else {
      CompareOutcomes(table, pair, item);
    }
    if (item.movement == 0 || item.movement < options_.threshold) return;
    item.importance = item.weight * item.movement;
    if (table != Table::kMonitors) item.context = DescribeContext(united_, context);
    diff_.items.push_back(std::move(item));
  }

  static Outcomes CountsOf(const Side& side, Table table, EntryIndex entry) {
    Outcomes outcomes;
    if (RecordKindOf(table) == RecordKind::kSuccessors) {
      const auto successors = side.profile.EntrySuccessors(entry);
      const std::vector<int64_t> of_triple = OutcomesOf(successors);
      for (size_t i = 0; i < successors.size(); ++i) {
        int64_t& count = outcomes[of_triple[i]];
        count = SaturatingAdd(count, successors[i].count);
      }
    } else {
      for (const TypeCount& t : side.profile.EntryTypeCounts(table, entry)) {
        int64_t& count = outcomes[static_cast<int64_t>(side.mapping(t.type))];
        count = SaturatingAdd(count, t.count);
      }
    }
    return outcomes;
  }

  void CompareOutcomes(Table table, const Pair& pair, DiffItem& item) const {
    const Outcomes in_a = CountsOf(a_, table, *pair.a);
    const Outcomes in_b = CountsOf(b_, table, *pair.b);
    Outcomes keys = in_a;
    keys.insert(in_b.begin(), in_b.end());
    const auto share_in = [](const Outcomes& outcomes, const auto& key, int64_t total) {
      const auto found = outcomes.find(key);
      return found == outcomes.end() ? 0 : Share(found->second, total);
    };
    for (const auto& [key, ignored] : keys) {
      DiffOutcome outcome;
      outcome.name = table == Table::kConditionals
                         ? NameOfSuccessor(key)
                         : std::string(united_.TypeName(TypeIndex{static_cast<uint32_t>(key)}));
      outcome.share_a = share_in(in_a, key, item.total_a);
      outcome.share_b = share_in(in_b, key, item.total_b);
      item.movement += std::abs(outcome.share_a - outcome.share_b) / 2;
      item.outcomes.push_back(std::move(outcome));
    }
    item.movement = std::min(1.0, item.movement);
    std::sort(item.outcomes.begin(), item.outcomes.end(),
              [](const DiffOutcome& x, const DiffOutcome& y) {
                const double moved_x = std::abs(x.share_a - x.share_b);
                const double moved_y = std::abs(y.share_a - y.share_b);
                if (moved_x != moved_y) return moved_x > moved_y;
                return x.name < y.name;
              });
  }

  std::vector<std::string> MethodsOnlyIn(const Side& in, const Side& out) const {
    std::vector<bool> is_out(united_.method_count());
    for (const MethodIndex method : out.mapping.methods) is_out[static_cast<size_t>(method)] = true;
    std::map<MethodIndex, int64_t> calls;
    for (const HotMethod& hot : HottestMethods(in.profile, Table::kCalls)) {
      calls[hot.method] = hot.count;
    }
    std::vector<std::pair<int64_t, std::string>> found;
    for (const MethodIndex method : MethodsOf(in.profile)) {
      if (is_out[static_cast<size_t>(in.mapping(method))]) continue;
      const auto count = calls.find(method);
      found.emplace_back(count == calls.end() ? 0 : -count->second,
                         in.profile.DescribeMethod(method));
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> names;
    for (auto& [count, name] : found) names.push_back(std::move(name));
    return names;
  }

  std::vector<std::string> TypesOnlyIn(const Side& in, const Side& out) const {
    std::vector<bool> is_out(united_.type_count());
    for (const TypeIndex type : out.mapping.types) is_out[static_cast<size_t>(type)] = true;
    std::vector<std::string> names;
    for (const TypeIndex type : TypesOf(in.profile)) {
      if (!is_out[static_cast<size_t>(in.mapping(type))])
        names.emplace_back(in.profile.TypeName(type));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const DiffOptions& options_;
  Profile united_;
  Side a_;
  Side b_;
  int64_t total_a_ = 0;
  int64_t total_b_ = 0;
  ProfileDiff diff_;
};

}  // namespace

ProfileDiff DiffProfiles(const Profile& a, const Profile& b, const DiffOptions& options) {
  return Differ(a, b, options).Run();
}

}  // namespace iprof
