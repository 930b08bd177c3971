#include "writer/records/calls_by_caller.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

namespace iprof {
namespace {

constexpr double kMostDifference = 0.001;  // of a method's calls, between them and its edges

// The number of the site where receivers of the call are counted; -1: none.
int64_t ReceiverSiteAt(const ClassRecord& c, const CountedMethod& method, uint32_t bci) {
  for (const ClassSite& site : c.SitesOf(method)) {
    if (site.bci == bci && site.kind == SiteKind::kReceiver) return site.number;
  }
  return -1;
}

constexpr double kMostCalls = 9e18;  // more have no int64_t

uint64_t Rounded(double calls) {
  return static_cast<uint64_t>(std::llround(std::min(calls, kMostCalls)));
}

}  // namespace

void CallsByCaller::AddCalls(const ClassRecord& c, const CountedMethod& method,
                             const MethodRecord& record, const CountedValues& values) {
  if (method.intrinsic_candidate) return;
  for (const CallSite& call : record.calls) {
    const uint64_t count = values.Of(call.value);
    if (count == 0 || call.callee >= c.callees.size()) continue;
    const Callee& callee = c.callees[call.callee];
    const int64_t site = callee.virtual_call ? ReceiverSiteAt(c, method, call.bci) : -1;
    if (site >= 0 && types_.Find(static_cast<uint32_t>(site)) != nullptr) {
      for (const auto& [target, calls] :
           targets_.Divide(callee, count, &types_, static_cast<uint32_t>(site)).runs)
        Add(method, target, call.bci, calls);
      continue;
    }
    // If nothing is known of the named class, such as an interface, other classes may run what is not counted.
    const std::vector<CounterIndex>& all = targets_.Of(callee);
    if (all.size() == 1 && (!callee.virtual_call || targets_.Named(callee) != nullptr))
      Add(method, all.front(), call.bci, static_cast<double>(count));
  }
}

void CallsByCaller::Add(const CountedMethod& caller, CounterIndex callee, uint32_t bci,
                        double calls) {
  if (calls >= 1) edges_.push_back({caller.first, callee, bci, calls});
}

void CallsByCaller::NoteVersion(const CountedMethod& version, MethodIndex method,
                                bool has_positions) {
  if (version.counters > 0) versions_.insert({version.first, {method, has_positions}});
}

std::vector<CallsByCaller::Written> CallsByCaller::Sums() const {
  std::vector<Written> sums;
  for (const Edge& edge : edges_) {
    const auto caller = versions_.find(edge.caller);
    const auto callee = versions_.find(edge.callee);
    if (caller == versions_.end() || callee == versions_.end() || !caller->second.has_positions)
      continue;
    sums.push_back({callee->second.method, caller->second.method, edge.bci, edge.calls});
  }
  const auto key = [](const Written& w) { return std::tuple(w.callee, w.caller, w.bci); };
  std::ranges::sort(sums, {}, key);
  size_t made = 0;
  for (const Written& edge : sums) {
    if (made > 0 && key(sums[made - 1]) == key(edge)) {
      sums[made - 1].calls += edge.calls;
    } else {
      sums[made++] = edge;
    }
  }
  sums.resize(made);
  std::ranges::stable_sort(sums, [](const Written& a, const Written& b) {
    return a.callee != b.callee ? a.callee < b.callee : a.calls > b.calls;
  });
  return sums;
}

void CallsByCaller::NoteCalls(MethodIndex method, uint64_t calls) {
  calls_.push_back({method, std::min<uint64_t>(calls, INT64_MAX)});
}

// Scales the edges of each method to its calls, and drops those of methods that have none.
void CallsByCaller::Settle(std::vector<Written>& sums, EdgeFigures& figures) const {
  std::unordered_map<MethodIndex, uint64_t> calls_of;
  for (const Method& method : calls_) calls_of[method.method] = method.calls;
  std::vector<Written> kept;
  for (size_t first = 0; first < sums.size();) {
    size_t last = first;
    double explained = 0;
    for (; last < sums.size() && sums[last].callee == sums[first].callee; ++last)
      explained += sums[last].calls;
    const auto found = calls_of.find(sums[first].callee);
    const uint64_t counted = found == calls_of.end() ? 0 : found->second;
    const auto calls = static_cast<double>(counted);
    if (explained > calls * (1 + kMostDifference)) {
      figures.excess.push_back(
          {sums[first].callee, counted, std::min(explained, kMostCalls), last - first});
    } else if (explained >= calls * (1 - kMostDifference)) {
      figures.agree = SaturatingAdd(figures.agree, static_cast<int64_t>(counted));
    }
    const double scale = explained > calls ? calls / explained : 1;
    for (; first < last; ++first) {
      sums[first].calls *= scale;
      if (sums[first].calls >= 1) kept.push_back(sums[first]);
    }
  }
  sums = std::move(kept);
  std::ranges::stable_sort(figures.excess, std::greater(), [](const ExcessCalls& e) {
    return e.at_sites - static_cast<double>(e.calls);
  });
}

EdgeFigures CallsByCaller::Write(Profile& profile) {
  EdgeFigures figures;
  std::vector<Written> sums = Sums();
  Settle(sums, figures);
  std::vector<double> weights;
  double all = 0;
  for (const Written& edge : sums) {
    weights.push_back(edge.calls);
    all += edge.calls;
  }
  std::ranges::sort(weights, std::greater());
  double least = 0;  // lighter edges are not written
  double heaviest = 0;
  for (const double weight : weights) {
    if (heaviest >= kShare * all) break;
    heaviest += weight;
    least = weight;
  }
  for (const Method& method : calls_) {
    const auto first = std::ranges::lower_bound(sums, method.method, {}, &Written::callee);
    const auto last = std::ranges::upper_bound(sums, method.method, {}, &Written::callee);
    WriteOf(method, std::span(first, last), least, figures, profile);
  }
  return figures;
}

void CallsByCaller::WriteOf(const Method& method, std::span<const Written> edges, double least,
                            EdgeFigures& figures, Profile& profile) {
  double explained = 0;
  for (const Written& edge : edges) explained += edge.calls;
  uint64_t left = method.calls;
  for (const Written& edge : edges) {
    if (edge.calls < least) break;
    const uint64_t count = std::min(left, Rounded(edge.calls));
    if (count == 0) break;
    left -= count;
    ++figures.written;
    const ContextIndex caller =
        profile.AddContext(kNoContext, edge.caller, static_cast<Bci>(edge.bci));
    profile.AddCount(Table::kCalls, profile.AddContext(caller, method.method, 0),
                     static_cast<int64_t>(count));
  }
  figures.calls = SaturatingAdd(figures.calls, static_cast<int64_t>(method.calls));
  figures.explained = SaturatingAdd(
      figures.explained, static_cast<int64_t>(std::min(method.calls, Rounded(explained))));
  if (left > 0)
    profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, method.method, 0),
                     static_cast<int64_t>(left));
}

}  // namespace iprof
