#include "cli/views/report/report_model.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_set>

#include "writer/base/time_period.h"
#include "writer/profile/branch_outcomes.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

void Add(Counts& sum, const Counts& counts) {
  for (size_t side = 0; side < kMostSides; ++side) AddTo(sum, side, counts[side]);
}

// The methods and types of one profile in the names of the report.
class Naming {
 public:
  Naming(const Profile& from, Profile& names)
      : from_(from), names_(names), types_(from.type_count()), methods_(from.method_count()) {}

  TypeIndex Of(TypeIndex type) {
    std::optional<TypeIndex>& known = types_[static_cast<size_t>(type)];
    if (!known) known = names_.AddType(from_.TypeName(type));
    return *known;
  }
  MethodIndex Of(MethodIndex method) {
    std::optional<MethodIndex>& known = methods_[static_cast<size_t>(method)];
    if (!known) {
      std::vector<TypeIndex> signature;
      for (const TypeIndex type : from_.Signature(method)) signature.push_back(Of(type));
      known = names_.AddMethod(from_.MethodName(method), signature);
      names_.notes().Add(*known, from_.notes(), method);
      names_.AddSureness(*known, from_.SurenessOf(method));
      if (from_.CodeHash(method) != 0) names_.SetCodeHash(*known, from_.CodeHash(method));
    }
    return *known;
  }

 private:
  const Profile& from_;
  Profile& names_;
  std::vector<std::optional<TypeIndex>> types_;
  std::vector<std::optional<MethodIndex>> methods_;
};

bool Larger(const ReportSite::Outcome& a, const ReportSite::Outcome& b) {
  const int64_t sum_a = SumOf(a.count);
  const int64_t sum_b = SumOf(b.count);
  return sum_a != sum_b ? sum_a > sum_b : a.key < b.key;
}

}  // namespace

void OrderEdges(std::vector<ReportEdge>& edges, const Profile& names) {
  std::sort(edges.begin(), edges.end(), [&](const ReportEdge& a, const ReportEdge& b) {
    const auto a_key = std::tuple(SumOf(a.samples), SumOf(a.calls));
    const auto b_key = std::tuple(SumOf(b.samples), SumOf(b.calls));
    if (a_key != b_key) return a_key > b_key;
    return names.DescribeMethod(a.other) < names.DescribeMethod(b.other);
  });
}

void ReportModel::Add(const Profile& profile) {
  assert(sides_ < kMostSides);
  const size_t side = sides_++;
  Naming naming(profile, names_);
  const auto figures_of = [&](MethodIndex method) -> Gathered& {
    const auto number = static_cast<size_t>(method);
    if (gathered_.size() <= number) gathered_.resize(number + 1);
    return gathered_[number];
  };
  const auto add_calls = [&](EntryIndex entry) {
    const int64_t count = profile.EntryCount(Table::kCalls, entry);
    const ContextIndex context = profile.EntryContext(Table::kCalls, entry);
    const MethodIndex callee = naming.Of(profile.InnermostFrame(context).method);
    AddTo(figures_of(callee).calls, side, count);
    const ContextIndex caller_context = profile.Caller(context);
    if (caller_context == kNoContext) return;
    const MethodIndex caller = naming.Of(profile.InnermostFrame(caller_context).method);
    AddTo(figures_of(callee).callers[caller].second, side, count);
    AddTo(figures_of(caller).callees[callee].second, side, count);
  };
  const auto add_branch = [&](EntryIndex entry) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(Table::kConditionals, entry));
    Gathered& method = figures_of(naming.Of(frame.method));
    auto& outcomes = method.sites[{Table::kConditionals, frame.bci}];
    const std::span<const Successor> successors = profile.EntrySuccessors(entry);
    const std::vector<int64_t> names = OutcomesOf(successors);
    for (size_t s = 0; s < successors.size(); ++s) {
      AddTo(outcomes[names[s]], side, successors[s].count);
      AddTo(method.branches, side, successors[s].count);
    }
  };
  const auto add_types = [&](Table table, EntryIndex entry) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
    for (const TypeCount& counted : profile.EntryTypeCounts(table, entry)) {
      const auto type = static_cast<int64_t>(naming.Of(counted.type));
      if (table == Table::kMonitors || frame.method == kNoMethod) {
        AddTo(monitors_by_type_[type], side, counted.count);
        continue;
      }
      Gathered& method = figures_of(naming.Of(frame.method));
      AddTo(method.sites[{table, frame.bci}][type], side, counted.count);
      if (table == Table::kVirtualInvokes) AddTo(method.receivers, side, counted.count);
    }
  };
  std::vector<Frame> stack;
  std::unordered_set<uint64_t> seen;
  const auto is_first = [&seen](uint64_t high, uint64_t low) {
    return seen.insert(high << 32 | low).second;
  };
  const ThreadFrames threads(profile);
  const auto add_sample = [&](EntryIndex entry) {
    const int64_t count = profile.EntryCount(Table::kSamples, entry);
    stack = profile.Frames(profile.EntryContext(Table::kSamples, entry));
    const Frame thread = threads.TakeFrom(stack);
    std::erase_if(stack, [](const Frame& frame) { return frame.method == kNoMethod; });
    if (stack.empty()) return;
    for (Frame& frame : stack) frame.method = naming.Of(frame.method);
    std::optional<uint32_t> period;
    if (thread.bci > 0) {
      period = PeriodAt(static_cast<uint64_t>(thread.bci - 1));
      periods_.insert(*period);
    }
    flames_.Add(side, stack, count, period);
    if (thread.method != kNoMethod)
      flames_of_threads_[std::string(profile.MethodName(thread.method))].Add(side, stack, count,
                                                                             period);
    Gathered& innermost = figures_of(stack.front().method);
    AddTo(innermost.self, side, count);
    AddTo(innermost.positions[stack.front().bci].first, side, count);
    seen.clear();
    for (const Frame& frame : stack) {
      Gathered& method = figures_of(frame.method);
      const auto number = static_cast<uint64_t>(frame.method);
      if (is_first(number, UINT32_MAX)) AddTo(method.total, side, count);
      if (is_first(number, static_cast<uint32_t>(frame.bci)))
        AddTo(method.positions[frame.bci].second, side, count);
    }
    seen.clear();
    for (size_t f = 1; f < stack.size(); ++f) {
      const MethodIndex callee = stack[f - 1].method;
      const MethodIndex caller = stack[f].method;
      if (!is_first(static_cast<uint64_t>(caller), static_cast<uint64_t>(callee))) continue;
      AddTo(figures_of(callee).callers[caller].first, side, count);
      AddTo(figures_of(caller).callees[callee].first, side, count);
    }
  };
  for (const Table table : kAllTables) {
    totals_[static_cast<size_t>(table)][side] = profile.Total(table);
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      switch (table) {
        case Table::kCalls:
          add_calls(entry);
          break;
        case Table::kConditionals:
          add_branch(entry);
          break;
        case Table::kSamples:
          add_sample(entry);
          break;
        case Table::kVirtualInvokes:
        case Table::kMonitors:
        case Table::kInstanceOfs:
          add_types(table, entry);
          break;
      }
    }
  }
}

ReportMethod ReportModel::Finished(MethodIndex method, Gathered& gathered) const {
  ReportMethod made;
  made.method = method;
  made.calls = gathered.calls;
  made.self = gathered.self;
  made.total = gathered.total;
  made.branches = gathered.branches;
  made.receivers = gathered.receivers;
  made.weight = std::max({LargestShare(made.calls, TotalOf(Table::kCalls)),
                          LargestShare(made.total, TotalOf(Table::kSamples)),
                          LargestShare(made.branches, TotalOf(Table::kConditionals)),
                          LargestShare(made.receivers, TotalOf(Table::kVirtualInvokes))});
  for (const auto& [place, outcomes] : gathered.sites) {
    ReportSite site{place.first, place.second, {}, {}};
    for (const auto& [key, count] : outcomes) {
      site.outcomes.push_back({key, count});
      iprof::Add(site.total, count);
    }
    std::sort(site.outcomes.begin(), site.outcomes.end(), Larger);
    if (!IsZero(site.total)) made.sites.push_back(std::move(site));
  }
  for (const auto& [bci, counts] : gathered.positions)
    made.positions.push_back({bci, counts.first, counts.second});
  const auto finish = [&](const Edges& edges, std::vector<ReportEdge>& into) {
    for (const auto& [other, counts] : edges) into.push_back({other, counts.first, counts.second});
    OrderEdges(into, names_);
  };
  finish(gathered.callers, made.callers);
  finish(gathered.callees, made.callees);
  return made;
}

void ReportModel::Finish() {
  for (size_t number = 0; number < gathered_.size(); ++number) {
    const auto method = MethodIndex{static_cast<uint32_t>(number)};
    ReportMethod made = Finished(method, gathered_[number]);
    gathered_[number] = {};
    if (made.weight > 0 || !made.sites.empty() || !made.positions.empty())
      methods_.push_back(std::move(made));
  }
  std::sort(methods_.begin(), methods_.end(), [&](const ReportMethod& a, const ReportMethod& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    return names_.DescribeMethod(a.method) < names_.DescribeMethod(b.method);
  });
  for (const auto& [type, count] : monitors_by_type_) monitors_.push_back({type, count});
  std::sort(monitors_.begin(), monitors_.end(), Larger);
}

}  // namespace iprof
