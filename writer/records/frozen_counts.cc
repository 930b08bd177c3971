#include "writer/records/frozen_counts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "writer/flow/flow_solver.h"
#include "writer/names/type_names.h"
#include "writer/records/call_targets.h"
#include "writer/records/class_record.h"
#include "writer/records/method_values.h"

namespace iprof {
namespace {

// A method as Profile::DescribeMethod shows it, "a.B.run(int, int[])void". What is no name or descriptor stays as it is.
std::string ShownMethod(const ClassRecord& c, const CountedMethod& m) {
  const std::string descriptor = "L" + std::string(c.name) + ";";
  std::string text = ToUtf8(TypeNameOf(Descriptor(descriptor)).value_or(descriptor));
  text.append(".").append(ToUtf8(m.name)).append("(");
  const auto types = SignatureOf(m.descriptor);  // the result first
  if (!types || types->empty()) return text.append(ToUtf8(m.descriptor)).append(")");
  for (size_t i = 1; i < types->size(); ++i) {
    if (i > 1) text.append(", ");
    text.append(ToUtf8((*types)[i]));
  }
  return text.append(")").append(ToUtf8(types->front()));
}

// Of a method's entries, the share that calls must explain. Otherwise it goes on counting: it is where
// the flow through the program begins, and its calls would follow from nothing else.
constexpr double kLeastExplained = 0.5;
// Below this share of the virtual calls, those without receivers are too few to judge such calls by.
constexpr double kSmallRest = 0.01;

uint64_t At(std::span<const uint64_t> counters, size_t index) {
  return index < counters.size() ? counters[index] : 0;
}

}  // namespace

// Calls that may run a method.
struct FrozenCounts::Calls {
  double direct = 0;  // that can run nothing else
  double virt = 0;    // all others
  double seen = 0;    // of these: those that run it, by their receivers
  double rest = 0;    // and those of which no receiver is known

  double known() const { return direct + seen; }
  Calls operator*(double factor) const {
    return {direct * factor, virt * factor, seen * factor, rest * factor};
  }
  void operator+=(const Calls& more) {
    direct += more.direct;
    virt += more.virt;
    seen += more.seen;
    rest += more.rest;
  }
};

double FrozenCounts::Explained(const Method& method, const Calls& calls) {
  return method.known_share * calls.known() + method.virtual_share * calls.rest;
}

// What was called in an interval.
struct FrozenCounts::Flow {
  // A frozen method, or one that freezes now.
  struct Node {
    uint32_t first = 0;
    const Method* frozen = nullptr;  // null: it freezes now
    double counted = 0;              // entries that were counted in the interval
    Calls calls{};                   // that were counted
    double total = 0;                // entries

    double missing() const { return std::max(total - counted, 0.0); }
  };
  // Calls of a frozen method, per entry.
  struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
    Calls calls{};
  };
  double seconds = 0;
  std::optional<TypeCounts> objects;  // at sites, in the interval
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::unordered_map<uint32_t, uint32_t> by_first;
  Methods freezing;

  void Add(uint32_t first, const Method* frozen) {
    by_first.emplace(first, static_cast<uint32_t>(nodes.size()));
    nodes.push_back({.first = first, .frozen = frozen});
  }
};

// Looks at one counted method after the other.
class FrozenCounts::Meter {
 public:
  Meter(const FrozenCounts& counts, const Moment& now, Flow& flow)
      : counts_(counts), now_(now), flow_(flow), targets_(now.classes, now.counters.size()) {}

  void Add(const ClassRecord& c, const CountedMethod& m) {
    first_ = static_cast<uint32_t>(m.first);
    const auto found = flow_.by_first.find(first_);
    const bool is_node = found != flow_.by_first.end();
    bool ran = is_node;
    for (uint32_t i = 0; i < m.counters && !ran; ++i) ran = Increments(i) > 0;
    if (!ran || !values_.Decode(c, m)) return;
    values_.Derive([&](uint32_t i) { return Increments(i); });
    const double entries = values_.Entries();
    // Of a frozen method, too: its old code may still run.
    ForEachCall(c, m, flow_.objects ? &*flow_.objects : nullptr,
                [&](uint32_t to, const Calls& calls) { flow_.nodes[to].calls += calls; });
    if (!is_node) return;
    flow_.nodes[found->second].counted = entries;
    const Method* const frozen = flow_.nodes[found->second].frozen;
    if (frozen == nullptr) {
      if (entries > 0) NoteShape(c, m, entries);
      return;
    }
    values_.Derive([&](uint32_t i) { return At(frozen->shape, i); });
    ForEachCall(c, m, &counts_.objects_, [&](uint32_t to, const Calls& calls) {
      flow_.edges.push_back(
          {.from = found->second, .to = to, .calls = calls * (1 / frozen->entries)});
    });
  }

 private:
  // Of the method's counter i, in the interval.
  uint64_t Increments(uint32_t i) const {
    const uint64_t before = At(counts_.last_, first_ + i);
    const uint64_t after = At(now_.counters, first_ + i);
    return after > before ? after - before : 0;
  }

  void NoteShape(const ClassRecord& c, const CountedMethod& m, double entries) {
    Method& made = flow_.freezing[first_];
    made.name = ShownMethod(c, m);
    made.counters = m.counters;
    made.first_site = m.first_site;
    made.sites = m.sites;
    made.entries = entries;
    for (uint32_t i = 0; i < m.counters; ++i) made.shape.push_back(Increments(i));
  }

  // visit(node, calls); `objects`: at sites, null: not known.
  template <typename Visit>
  void ForEachCall(const ClassRecord& c, const CountedMethod& m, const TypeCounts* objects,
                   const Visit& visit) {
    for (const CallSite& call : values_.record().calls) {
      const uint64_t count = values_.Of(call.value);
      if (count == 0 || call.callee >= c.callees.size()) continue;
      const Callee& callee = c.callees[call.callee];
      const std::vector<CounterIndex>& may_run = targets_.Of(callee);
      std::optional<CallTargets::Division> division;
      for (const CounterIndex target : may_run) {
        const auto to = flow_.by_first.find(static_cast<uint32_t>(target));
        if (to == flow_.by_first.end()) continue;
        Calls calls;
        if (may_run.size() == 1) {
          calls.direct = static_cast<double>(count);
        } else {
          if (!division) division = targets_.Divide(callee, count, objects, SiteOf(c, m, call.bci));
          const auto runs = division->runs.find(target);
          calls.seen = runs == division->runs.end() ? 0 : runs->second;
          calls.virt = static_cast<double>(count);
          calls.rest = division->rest;
        }
        visit(to->second, calls);
      }
    }
  }

  // The site of a call, or a number that no site has.
  static uint32_t SiteOf(const ClassRecord& c, const CountedMethod& m, uint32_t bci) {
    for (const ClassSite& site : c.SitesOf(m)) {
      if (site.kind == SiteKind::kReceiver && site.bci == bci) return site.number;
    }
    return UINT32_MAX;
  }

  const FrozenCounts& counts_;
  const Moment& now_;
  Flow& flow_;
  CallTargets targets_;
  MethodValues values_;
  uint32_t first_ = 0;  // of the method
};

FrozenCounts::Flow FrozenCounts::Measure(const Moment& now,
                                         std::span<const CounterIndex> freezing) const {
  Flow flow;
  flow.seconds = std::max(now.seconds - last_s_, 0.0);
  for (const auto& [first, method] : methods_) {
    if (method.is_frozen) flow.Add(first, &method);
  }
  for (const CounterIndex first : freezing) {
    const auto number = static_cast<uint32_t>(first);
    if (!flow.by_first.contains(number)) flow.Add(number, nullptr);
  }
  if (flow.nodes.empty()) return flow;
  flow.objects = ObjectsSince(now.types);
  Meter meter(*this, now, flow);
  for (size_t number = 0; number < now.classes.size(); ++number) {
    ClassRecord scratch;
    const ClassRecord& c = now.classes.Get(number, scratch);
    for (const CountedMethod& m : c.methods) {
      if (m.counters > 0) meter.Add(c, m);
    }
  }
  return flow;
}

// Finds the entries of the frozen nodes. Those that freeze now were counted.
//
// What comes from outside grows as all frozen methods together grow: as what calls explain now, divided by what they usually
// explain in so much time. That depends on the entries, and the entries on it.
//
// Example: counted callers called f 1,000 times. Usually they call it 500 times, and 50 entries come from outside.
// Each entry of f calls g 3 times, so g usually is called 1,650 times. All calls have doubled, so f was entered
// 1,000 + 100 times, and g 3,300 times.
void FrozenCounts::Solve(Flow& flow) {
  constexpr int kGrowthRounds = 4;
  FlowProblem problem{.is_certain = true};
  std::vector<double> explained;  // by calls that were counted
  double usual = 0;
  for (const Flow::Node& node : flow.nodes) {
    problem.floor.push_back(node.counted);
    explained.push_back(node.frozen == nullptr ? 0 : Explained(*node.frozen, node.calls));
    if (node.frozen != nullptr) usual += node.frozen->explained_per_s * flow.seconds;
  }
  // Only entries that were not counted call on by the shapes of frozen methods. The others' calls are explained.
  std::vector<double> called_on(flow.nodes.size());
  for (const Flow::Edge& edge : flow.edges) {
    const Method* const to = flow.nodes[edge.to].frozen;
    if (to == nullptr) continue;
    problem.edges.push_back({edge.from, edge.to, Explained(*to, edge.calls)});
    called_on[edge.to] += problem.edges.back().gain * flow.nodes[edge.from].counted;
  }
  double growth = 1;
  for (int round = 0; round < kGrowthRounds; ++round) {
    problem.ceiling = problem.floor;
    problem.external.assign(flow.nodes.size(), 0);
    for (size_t n = 0; n < flow.nodes.size(); ++n) {
      if (flow.nodes[n].frozen == nullptr) continue;
      const Method& method = *flow.nodes[n].frozen;
      const double known = explained[n] + method.outside_per_s * flow.seconds * growth;
      const double usually = (method.explained_per_s + method.outside_per_s) * flow.seconds;
      problem.external[n] = known - called_on[n];
      problem.ceiling[n] = std::max(known, kMostGrowth * usually);
    }
    const std::vector<double> total = SolveFlow(problem).total;
    for (size_t n = 0; n < total.size(); ++n) flow.nodes[n].total = total[n];
    double now = std::accumulate(explained.begin(), explained.end(), 0.0);
    for (const FlowEdge& edge : problem.edges) now += flow.nodes[edge.from].missing() * edge.gain;
    if (usual <= 0) break;
    growth = now / usual;
  }
}

void FrozenCounts::AddEntries(const Flow& flow, Estimates& estimates) {
  for (const Flow::Node& node : flow.nodes) {
    if (node.frozen == nullptr || node.total <= node.counted) continue;
    const Method& method = *node.frozen;
    const size_t end = size_t{node.first} + method.counters;
    if (estimates.increments.size() < end) estimates.increments.resize(end);
    const double missing = node.missing();
    double& calls = estimates.calls[node.first];
    calls = std::min(calls + missing, kMostEstimate);
    for (uint32_t i = 0; i < method.counters; ++i) {
      double& sum = estimates.increments[node.first + i];
      sum = std::min(sum + missing / method.entries * static_cast<double>(method.shape[i]),
                     kMostEstimate);
    }
  }
}

// Learns from the interval in which the method was counted last how its calls lead to its entries.
// Returns whether it may freeze.
bool FrozenCounts::Calibrate(const Flow& flow, CounterIndex first, Method method) {
  const uint32_t number = flow.by_first.at(static_cast<uint32_t>(first));
  Calls calls = flow.nodes[number].calls;
  for (const Flow::Edge& edge : flow.edges) {
    if (edge.to == number) calls += edge.calls * flow.nodes[edge.from].missing();
  }
  method.known_share = calls.known() > method.entries ? method.entries / calls.known() : 1;
  const bool is_rest_small = calls.rest < kSmallRest * calls.virt;
  const double by_virtual = method.entries - (is_rest_small ? calls.direct : calls.known());
  const double of = is_rest_small ? calls.virt : calls.rest;
  // Where there were none, it was the only method that such calls could run.
  method.virtual_share = of > 0 ? std::clamp(by_virtual / of, 0.0, 1.0) : method.known_share;
  const double explained = Explained(method, calls);
  if (explained < kLeastExplained * method.entries) return false;
  const double seconds = std::max(flow.seconds, 1e-9);
  method.explained_per_s = explained / seconds;
  method.outside_per_s = std::max(method.entries - explained, 0.0) / seconds;
  method.is_frozen = true;
  method.knows_objects = flow.objects.has_value();
  const auto before = methods_.find(static_cast<uint32_t>(first));
  method.fewest = method.entries;
  if (before != methods_.end()) {
    method.fewest = std::min(method.fewest, before->second.fewest);
    SettleObjects(before->first, before->second);
    method.settled = before->second.settled;
  }
  ForgetObjects(method);
  for (uint32_t s = 0; s < method.sites && flow.objects; ++s)
    objects_.AddSite(*flow.objects, method.first_site + s);
  methods_[static_cast<uint32_t>(first)] = std::move(method);
  return true;
}

void FrozenCounts::Skip(std::span<const uint64_t> counters, double seconds,
                        const TypeCounts* types) {
  history_.Clear();
  Begin(counters, seconds, types);
}

void FrozenCounts::Begin(std::span<const uint64_t> counters, double seconds,
                         const TypeCounts* types) {
  last_.assign(counters.begin(), counters.end());
  last_s_ = seconds;
  last_types_.reset();
  if (types != nullptr) last_types_.emplace().AddAll(*types);
}

std::optional<TypeCounts> FrozenCounts::ObjectsSince(const TypeCounts* types) const {
  if (types == nullptr || !last_types_) return std::nullopt;
  TypeCounts since;
  since.AddAll(*types);
  since.SubtractAll(*last_types_);
  return since;
}

void FrozenCounts::Advance(const Moment& now) { Freeze(now, {}); }

std::vector<CounterIndex> FrozenCounts::Freeze(const Moment& now,
                                               std::span<const CounterIndex> methods) {
  std::vector<CounterIndex> froze;
  if (frozen_ > 0 || !methods.empty()) {
    Flow flow = Measure(now, methods);
    Solve(flow);
    AddEntries(flow, estimated_);
    for (auto& [first, method] : flow.freezing) {
      if (Calibrate(flow, CounterIndex{first}, std::move(method)))
        froze.push_back(CounterIndex{first});
    }
    frozen_ += froze.size();
  }
  history_.Note(last_, now.counters);
  Begin(now.counters, now.seconds, now.types);
  return froze;
}

ShapeHistory::Verdicts FrozenCounts::Examine(const ClassSource& classes,
                                             std::span<const uint64_t> counters,
                                             std::span<const CounterIndex> methods) const {
  return history_.Examine(classes, last_, counters, methods,
                          [&](CounterIndex first) -> std::optional<ShapeHistory::Shape> {
                            const auto known = methods_.find(static_cast<uint32_t>(first));
                            if (known == methods_.end()) return std::nullopt;
                            return ShapeHistory::Shape{known->second.shape, known->second.entries};
                          });
}

void FrozenCounts::Thaw(std::span<const CounterIndex> methods) {
  for (const CounterIndex first : methods) {
    const auto found = methods_.find(static_cast<uint32_t>(first));
    if (found == methods_.end() || !found->second.is_frozen) continue;
    found->second.is_frozen = false;
    --frozen_;
  }
}

MethodEstimates FrozenCounts::AddTo(const Moment& now, RawCounts& counts) const {
  if (frozen_ == 0) return Apply(estimated_, counts);
  Estimates estimates = estimated_;
  Flow flow = Measure(now, {});
  Solve(flow);
  AddEntries(flow, estimates);
  return Apply(estimates, counts);
}

bool FrozenCounts::IsFrozen(CounterIndex first) const {
  const auto found = methods_.find(static_cast<uint32_t>(first));
  return found != methods_.end() && found->second.is_frozen;
}

}  // namespace iprof
