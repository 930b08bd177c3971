#include "writer/ops/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "writer/ops/merge_mapping.h"
#include "writer/ops/run_length.h"
#include "writer/ops/summary.h"
#include "writer/profile/branch_outcomes.h"
#include "writer/profile/code_hashes.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/sampling_sum.h"

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

// By how much the variance of a sum of samples exceeds the sum: the mean square of their weights by the mean weight.
//
// A sample's weight is a number of intervals, more than one where the thread's clock ticked again before the signal came,
// as on a busy machine. A profile has only sums of weights and the number of samples. So this takes the weights for as
// unequal as they can be: a few samples, in the entries with the largest sums, have all the weight beyond one each. But
// none has more than kMostUneven times the mean.
double ExcessOfSamples(const Profile& profile) {
  constexpr double kMostUneven = 32;
  const AgentSection section = AgentSection::Of(profile);
  const auto json = section.Part(kSamplingPart);
  const auto sum = json ? SamplingSum::Parse(*json) : std::nullopt;
  const auto samples = sum ? static_cast<double>(sum->GoodSignals()) : 0.0;
  const auto weight = static_cast<double>(profile.Total(Table::kSamples));
  if (samples <= 0 || weight <= samples) return 1;
  const double most = std::max(1.0, kMostUneven * weight / samples);
  double beyond = weight - samples;  // one for each sample
  double squares = 0;
  double left = weight;
  for (const EntryIndex entry : HottestEntries(profile, Table::kSamples)) {
    const auto of_entry = static_cast<double>(profile.EntryCount(Table::kSamples, entry));
    // As many as can have the most, all at once, because there may be any number; then the rest.
    const double full = std::floor(std::min(of_entry / most, beyond / (most - 1)));
    const double rest = std::min({of_entry - full * most, most, beyond - full * (most - 1) + 1});
    for (const auto& [number, one] : {std::pair(full, most), std::pair(1.0, rest)}) {
      if (number <= 0 || one <= 1) continue;
      squares += number * one * one;
      beyond -= number * (one - 1);
      left -= number * one;
    }
    if (beyond <= 0) break;
  }
  return (squares + std::max(0.0, left)) / weight;
}

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
    FindOtherCode();
    ReadRunLengths();
    for (const Table table : kAllTables) DiffTable(table);
    DiffSampledMethods();
    std::sort(diff_.items.begin(), diff_.items.end(), [](const DiffItem& x, const DiffItem& y) {
      if (x.importance != y.importance) return x.importance > y.importance;
      return std::tie(x.table, x.scope, x.context) < std::tie(y.table, y.scope, y.context);
    });
    diff_.methods_only_in_a = MethodsOnlyIn(a_, b_);
    diff_.methods_only_in_b = MethodsOnlyIn(b_, a_);
    diff_.types_only_in_a = TypesOnlyIn(a_, b_);
    diff_.types_only_in_b = TypesOnlyIn(b_, a_);
    diff_.united = std::move(united_);
    return std::move(diff_);
  }

 private:
  // The outcome's key is a successor's bci or a class in the united profile.
  using Outcomes = std::map<int64_t, int64_t>;

  void FindOtherCode() {
    if (!a_.profile.has_code_hashes() || !b_.profile.has_code_hashes()) return;
    std::vector<uint64_t> hashes(united_.method_count());
    for (const MethodIndex method : MethodsOf(a_.profile))
      hashes[static_cast<size_t>(a_.mapping(method))] = a_.profile.CodeHash(method);
    has_other_code_.resize(united_.method_count());
    for (const MethodIndex method : MethodsOf(b_.profile)) {
      const auto united = static_cast<size_t>(b_.mapping(method));
      const uint64_t hash = b_.profile.CodeHash(method);
      has_other_code_[united] =
          hash != 0 && hashes[united] != 0 && !IsSameCode(hash, hashes[united]);
    }
  }

  bool HasOtherPositions(Table table, ContextIndex context) const {
    bool has = false;
    bool is_position = table != Table::kCalls;  // the innermost frame of a call has none
    united_.ForEachFrame(context, [&](Frame frame) {
      has |= is_position && frame.method != kNoMethod &&
             has_other_code_[static_cast<size_t>(frame.method)];
      is_position = true;
    });
    return has;
  }

  std::map<ContextIndex, Pair> PairsOf(Table table) const {
    std::map<ContextIndex, Pair> pairs;
    for (const EntryIndex e : EntriesOf(a_.profile, table)) {
      pairs[a_.mapping(a_.profile.EntryContext(table, e))].a = e;
    }
    for (const EntryIndex e : EntriesOf(b_.profile, table)) {
      pairs[b_.mapping(b_.profile.EntryContext(table, e))].b = e;
    }
    if (!has_other_code_.empty() && table != Table::kMonitors) {
      std::erase_if(pairs, [&](const auto& pair) { return HasOtherPositions(table, pair.first); });
    }
    return pairs;
  }

  // From the calls, or without these from the branches.
  void ReadRunLengths() {
    longer_ = LongerOf(a_.profile, b_.profile);
    if (longer_ == LongerRun::kNeither) return;
    std::vector<std::pair<int64_t, int64_t>> counts;
    for (const Table table : {Table::kCalls, Table::kConditionals}) {
      for (const auto& [context, pair] : PairsOf(table)) {
        if (!pair.a || !pair.b) continue;
        const int64_t a = a_.profile.EntryTotal(table, *pair.a);
        const int64_t b = b_.profile.EntryTotal(table, *pair.b);
        counts.push_back(longer_ == LongerRun::kB ? std::pair(a, b) : std::pair(b, a));
      }
      if (!counts.empty()) break;
    }
    const double growth = GrowthOfRepeatedWork(std::move(counts));
    repeated_ = longer_ == LongerRun::kB ? growth : 1 / growth;
  }

  void SetTotals(int64_t a, int64_t b) {
    total_a_ = a;
    total_b_ = b;
    const double growth = a == 0 || b == 0 ? 1 : static_cast<double>(b) / static_cast<double>(a);
    least_growth_ = std::min({1.0, growth, repeated_});
    most_growth_ = std::max({1.0, growth, repeated_});
  }

  void DiffTable(Table table) {
    const std::map<ContextIndex, Pair> pairs = PairsOf(table);
    SetTotals(a_.profile.Total(table), b_.profile.Total(table));
    are_samples_ = table == Table::kSamples;
    excess_a_ = are_samples_ ? ExcessOfSamples(a_.profile) : 1;
    excess_b_ = are_samples_ ? ExcessOfSamples(b_.profile) : 1;
    size_t compared = 0;
    for (const auto& [context, pair] : pairs) {
      const double share_a = pair.a ? Share(a_.profile.EntryTotal(table, *pair.a), total_a_) : 0;
      const double share_b = pair.b ? Share(b_.profile.EntryTotal(table, *pair.b), total_b_) : 0;
      if (std::max(share_a, share_b) >= options_.min_weight) ++compared;
    }
    errors_ = ErrorsFor(compared);
    for (const auto& [context, pair] : pairs) DiffEntry(table, context, pair);
  }

  // How many standard errors are chance if so many entries are compared. One is beyond z errors with a probability below
  // exp(-z²/2).
  double ErrorsFor(size_t compared) const {
    if (options_.chance <= 0 || compared == 0) return 0;
    return std::sqrt(2 * std::log(static_cast<double>(compared) / options_.chance));
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
    if (item.total_a == 0 || item.total_b == 0 || RecordKindOf(table) == RecordKind::kCount) {
      CompareCounts(item);
    } else {
      CompareOutcomes(table, pair, item);
    }
    item.place = context;
    if (IsKept(item) && table != Table::kMonitors) item.context = DescribeContext(united_, context);
    Keep(std::move(item));
  }

  void CompareCounts(DiffItem& item) const {
    item.kind = item.total_b == 0   ? DiffKind::kOnlyInA
                : item.total_a == 0 ? DiffKind::kOnlyInB
                                    : DiffKind::kMoved;
    item.movement =
        MovementOf(static_cast<double>(item.total_a), static_cast<double>(item.total_b));
  }

  // The part of B's count that neither the length of the run nor chance explains; negative if it is missing there.
  double Unexplained(double a, double b) const {
    constexpr double kRounding = 1e-9;
    const double expected = std::clamp(b, a * least_growth_, a * most_growth_);
    const double moved = b - expected;
    // The factor by which A's count became the expected one; its error grows with it.
    double factor = a == 0 ? 1 : expected / a;
    double seen_a = a;
    double seen_b = b;
    if (are_samples_) {
      // Where there is no sample, there could as well have been one.
      if (a == 0) factor = most_growth_;
      seen_a = std::max(a, excess_a_);
      seen_b = std::max(b, excess_b_);
    }
    const double error = std::sqrt(excess_b_ * seen_b + factor * factor * excess_a_ * seen_a);
    if (std::abs(moved) <= errors_ * error || std::abs(moved) <= kRounding * b) return 0;
    return moved;
  }

  double MovementOf(double a, double b) const {
    const double moved = Unexplained(a, b);
    return moved == 0 ? 0 : std::abs(moved) / std::max(b, b - moved);
  }

  bool IsKept(const DiffItem& item) const {
    return item.movement > 0 && item.movement >= options_.threshold &&
           item.weight >= options_.min_weight;
  }

  void Keep(DiffItem&& item) {
    if (!IsKept(item)) return;
    item.importance = item.weight * item.movement;
    diff_.items.push_back(std::move(item));
  }

  struct Samples {
    int64_t leaf = 0;
    int64_t anywhere = 0;
  };
  using SampledMethods = std::map<MethodIndex, Samples>;  // in the united profile

  static SampledMethods SampledIn(const Side& side) {
    SampledMethods sampled;
    std::vector<MethodIndex> methods;  // of one stack
    for (const EntryIndex entry : EntriesOf(side.profile, Table::kSamples)) {
      const int64_t count = side.profile.EntryCount(Table::kSamples, entry);
      const ContextIndex context = side.profile.EntryContext(Table::kSamples, entry);
      methods.clear();
      side.profile.ForEachFrame(
          context, [&](Frame frame) { methods.push_back(side.mapping(frame.method)); });
      Samples& leaf = sampled[methods.front()];
      leaf.leaf = SaturatingAdd(leaf.leaf, count);
      std::sort(methods.begin(), methods.end());
      methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
      for (const MethodIndex method : methods)
        sampled[method].anywhere = SaturatingAdd(sampled[method].anywhere, count);
    }
    return sampled;
  }

  void DiffSampledMethods() {
    const SampledMethods in_a = SampledIn(a_);
    const SampledMethods in_b = SampledIn(b_);
    SetTotals(a_.profile.Total(Table::kSamples), b_.profile.Total(Table::kSamples));
    are_samples_ = true;
    excess_a_ = ExcessOfSamples(a_.profile);
    excess_b_ = ExcessOfSamples(b_.profile);
    SampledMethods all = in_a;
    all.insert(in_b.begin(), in_b.end());
    const auto samples_in = [](const SampledMethods& methods, MethodIndex method) {
      const auto found = methods.find(method);
      return found == methods.end() ? Samples{} : found->second;
    };
    size_t compared = 0;
    for (const auto& [method, ignored] : all) {
      const double share_a = Share(samples_in(in_a, method).anywhere, total_a_);
      const double share_b = Share(samples_in(in_b, method).anywhere, total_b_);
      if (std::max(share_a, share_b) >= options_.min_weight) compared += 2;
    }
    errors_ = ErrorsFor(compared);
    for (const auto& [method, ignored] : all) {
      const Samples a = samples_in(in_a, method);
      const Samples b = samples_in(in_b, method);
      DiffSampled(DiffScope::kLeaf, method, a.leaf, b.leaf);
      // Equal figures are the same difference.
      if (a.leaf != a.anywhere || b.leaf != b.anywhere)
        DiffSampled(DiffScope::kMethod, method, a.anywhere, b.anywhere);
    }
  }

  void DiffSampled(DiffScope scope, MethodIndex method, int64_t a, int64_t b) {
    DiffItem item;
    item.table = Table::kSamples;
    item.scope = scope;
    item.method = method;
    item.total_a = a;
    item.total_b = b;
    item.share_a = Share(a, total_a_);
    item.share_b = Share(b, total_b_);
    item.weight = std::max(item.share_a, item.share_b);
    CompareCounts(item);
    if (IsKept(item)) item.context = united_.DescribeMethod(method);
    Keep(std::move(item));
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

  // The standard error of the difference of an outcome's shares.
  static double ErrorOf(const DiffOutcome& outcome, const DiffItem& item) {
    const auto a = static_cast<double>(item.total_a);
    const auto b = static_cast<double>(item.total_b);
    const double share = (outcome.share_a * a + outcome.share_b * b) / (a + b);
    return std::sqrt(share * (1 - share) * (1 / a + 1 / b));
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
    bool beyond_chance = false;
    double only_b = 0;  // the parts of the executions that the length of the run does not explain
    double only_a = 0;
    for (const auto& [key, ignored] : keys) {
      DiffOutcome outcome;
      outcome.name = table == Table::kConditionals
                         ? NameOfSuccessor(key)
                         : std::string(united_.TypeName(TypeIndex{static_cast<uint32_t>(key)}));
      if (table != Table::kConditionals) {
        outcome.type = TypeIndex{static_cast<uint32_t>(key)};
      } else if (key >= 0 && key <= INT32_MAX) {
        outcome.bci = static_cast<Bci>(key);
      }
      outcome.share_a = share_in(in_a, key, item.total_a);
      outcome.share_b = share_in(in_b, key, item.total_b);
      const double count_a = outcome.share_a * static_cast<double>(item.total_a);
      const double count_b = outcome.share_b * static_cast<double>(item.total_b);
      if (table == Table::kMonitors) {
        // The locks of the whole program, which depend on its length as calls do.
        const double moved = MovementOf(count_a, count_b);
        item.movement += moved * std::max(outcome.share_a, outcome.share_b);
        beyond_chance = true;
      } else {
        const double moved = std::abs(outcome.share_a - outcome.share_b);
        item.movement += moved / 2;
        beyond_chance |= moved > errors_ * ErrorOf(outcome, item);
        const double unexplained = Unexplained(count_a, count_b);
        only_b += std::max(0.0, unexplained) / static_cast<double>(item.total_b);
        only_a += std::max(0.0, -unexplained) / least_growth_ / static_cast<double>(item.total_a);
      }
      item.outcomes.push_back(std::move(outcome));
    }
    item.movement = beyond_chance ? std::min(1.0, item.movement) : 0;
    // Start-up and requests may go other ways, and the longer run has more of the requests.
    if (table != Table::kMonitors && longer_ != LongerRun::kNeither)
      item.movement = std::min(item.movement, std::max(only_a, only_b));
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
  std::vector<bool>
      has_other_code_;  // by method of the united profile; empty: nothing is known of code
  int64_t total_a_ = 0;
  int64_t total_b_ = 0;
  LongerRun longer_ = LongerRun::kNeither;
  double repeated_ = 1;      // the growth of repeated work from A to B
  double least_growth_ = 1;  // of a count that has not moved
  double most_growth_ = 1;
  double errors_ = 0;    // so many standard errors are chance
  double excess_a_ = 1;  // of the variance of a count
  double excess_b_ = 1;
  bool are_samples_ = false;
  ProfileDiff diff_;
};

}  // namespace

ProfileDiff DiffProfiles(const Profile& a, const Profile& b, const DiffOptions& options) {
  return Differ(a, b, options).Run();
}

}  // namespace iprof
