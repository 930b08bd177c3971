// Compares placements with the truth: random methods, random runs, every policy.
#include "agent/instrument/plan/placement.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "agent/instrument/plan/random_method.h"

namespace iprof::instrument {
namespace {

constexpr PlacementPolicy kPolicies[] = {PlacementPolicy::kAutomatic, PlacementPolicy::kDirect,
                                         PlacementPolicy::kTree, PlacementPolicy::kArborescence};

std::string Describe(const FlowGraph& graph, const ProbePlan& plan,
                     const std::vector<uint64_t>& truth, const std::vector<uint64_t>& values) {
  std::ostringstream out;
  out << "placement " << static_cast<int>(plan.placement) << "\n";
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    const FlowEdge& edge = graph.edge(EdgeId{e});
    out << "  edge " << e << ": " << Index(edge.src) << " -> " << Index(edge.dst) << " kind "
        << static_cast<int>(edge.kind) << (edge.required ? " required" : "") << " truth "
        << truth[e];
    if (plan.value_of_edge[e] != kNoValue) {
      out << " value " << values[plan.value_of_edge[e]]
          << (plan.value_of_edge[e] < plan.counter_count() ? " counted" : " derived");
    }
    out << "\n";
  }
  return out.str();
}

// The plan's counters after a run, and everything derived from them.
std::vector<uint64_t> ValuesAfter(const ProbePlan& plan, const RandomRun& run, uint32_t* clamps) {
  std::vector<uint64_t> values(plan.derivation.value_count());
  for (size_t i = 0; i < plan.probes.size(); ++i) {
    values[i] = run.edge_count[Index(plan.probes[i].edge)];
  }
  if (plan.unwind_counter != kNoCounter) values[plan.unwind_counter] = run.unwinds;
  *clamps = Derive(plan.derivation, values);
  return values;
}

// Nodes that a walk from the root finds. The planner's own answer is not used here.
std::vector<uint8_t> ReachableNodes(const FlowGraph& graph) {
  std::vector<uint8_t> seen(graph.node_count(), 0);
  std::vector<uint32_t> work{Index(kRoot)};
  seen[0] = 1;
  while (!work.empty()) {
    const uint32_t v = work.back();
    work.pop_back();
    for (uint32_t e : graph.Out(v)) {
      const uint32_t dst = Index(graph.edge(EdgeId{e}).dst);
      if (seen[dst] == 0) {
        seen[dst] = 1;
        work.push_back(dst);
      }
    }
  }
  return seen;
}

struct Tally {
  uint64_t plans = 0, derived = 0, clamps = 0, bounded = 0, inexact_values = 0;
};

// Checks one graph, one run and one policy: every guarantee of placement.h and derivation.h that a
// run can break.
void CheckRun(const FlowGraph& graph, const ProbePlan& plan, const RandomRun& run, Tally* tally) {
  uint32_t clamps = 0;
  const std::vector<uint64_t> values = ValuesAfter(plan, run, &clamps);
  const ErrorBound bound = BoundOf(plan.certificate, values, run.live);
  const std::vector<uint8_t> reachable = ReachableNodes(graph);
  const bool arborescence = plan.placement == PlacementPolicy::kArborescence;
  std::vector<uint8_t> touched(values.size());
  FindTouched(plan.derivation, plan.certificate, touched);
  ++tally->plans;
  tally->clamps += clamps;
  tally->bounded += bound.kind == Exactness::kBounded;

  auto fail = [&](const char* why, uint32_t e) {
    INFO(why << ", edge " << e << ", k " << bound.k << ", kind " << static_cast<int>(bound.kind));
    INFO(Describe(graph, plan, run.edge_count, values));
    FAIL();
  };
  const ValueId entry = plan.value_of_edge[Index(kEntryEdge)];
  // A derived entry misses frames in the first block, but no thread stays there.
  const uint64_t allowed = entry < plan.counter_count() ? 0 : run.live;
  if (values[entry] > run.edge_count[0] || run.edge_count[0] - values[entry] > allowed)
    fail("entry", 0);
  if (clamps != 0 && (arborescence || run.imbalances == 0)) fail("clamped", 0);
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    const ValueId value = plan.value_of_edge[e];
    const FlowEdge& edge = graph.edge(EdgeId{e});
    if (value == kNoValue) {
      if (edge.required && reachable[Index(edge.src)] != 0) fail("output missing", e);
      continue;
    }
    tally->derived += value >= plan.counter_count();
    const uint64_t truth = run.edge_count[e];
    const uint64_t got = values[value];
    const uint64_t error = got > truth ? got - truth : truth - got;
    tally->inexact_values += error != 0;
    if (run.imbalances == 0 && error != 0) fail("not exact though nothing was abrupt", e);
    if (error > run.imbalances) fail("beyond the sum of imbalances", e);
    if (bound.kind != Exactness::kUnknown && error > bound.k) fail("beyond k", e);
    if (bound.kind == Exactness::kExact && error != 0) fail("certified but wrong", e);
    if (touched[value] == 0 && error > run.live) fail("wrong, and untouched", e);
    if (arborescence && got < truth) fail("too small", e);
    if (plan.placement == PlacementPolicy::kDirect && error != 0) fail("direct is wrong", e);
  }
}

void CheckShape(const FlowGraph& graph, const ProbePlan& plan) {
  REQUIRE(IsWellFormed(plan.derivation));
  REQUIRE_FALSE(plan.probes.empty());
  if (plan.value_of_edge[Index(kEntryEdge)] < plan.counter_count()) {
    REQUIRE(plan.probes[0].edge == kEntryEdge);
    REQUIRE(plan.probes[0].at == ProbeAt::kMethodEntry);
  } else {
    // The sum of counters that are all incremented before anything else can happen.
    const uint32_t first = Index(graph.edge(kEntryEdge).dst);
    REQUIRE_FALSE(graph.node(NodeId{first}).may_throw);
    REQUIRE(graph.In(first).size() == 1);
    for (uint32_t e : graph.Out(first)) REQUIRE(plan.value_of_edge[e] < plan.counter_count());
  }
  // The slots of a switch that is counted by its key have consecutive counters.
  for (uint32_t e = 1; e < graph.edge_count(); ++e) {
    const FlowEdge& edge = graph.edge(EdgeId{e});
    const FlowEdge& before = graph.edge(EdgeId{e - 1});
    if (!edge.by_key || !before.by_key || edge.src != before.src) continue;
    if (plan.value_of_edge[e] == kNoValue) continue;
    REQUIRE(plan.value_of_edge[e] == plan.value_of_edge[e - 1] + 1);
    REQUIRE(plan.value_of_edge[e] < plan.counter_count());
  }
  const uint32_t unwind = plan.unwind_counter == kNoCounter ? 0 : 1;
  REQUIRE(plan.counter_count() == plan.probes.size() + unwind);
  for (const Probe& probe : plan.probes) {
    const FlowEdge& edge = graph.edge(probe.edge);
    const bool only_in = graph.In(Index(edge.dst)).size() == 1;
    const bool only_out = graph.Out(Index(edge.src)).size() == 1;
    // A place that other flow shares would count too much.
    if (probe.at == ProbeAt::kBlockHead) REQUIRE((only_in || edge.kind == EdgeKind::kInside));
    if (probe.at == ProbeAt::kBefore) REQUIRE(only_out);
    REQUIRE((probe.at == ProbeAt::kByKey) == edge.by_key);
    if (probe.at == ProbeAt::kTaken) REQUIRE_FALSE(only_in);
    if (probe.at == ProbeAt::kSlot) REQUIRE_FALSE(only_in);
  }
}

// The number of undirected parts of the reachable graph without entry and handler edges, including
// the root's part. A spanning forest leaves nodes - parts edges uncounted.
uint32_t PartCount(const FlowGraph& graph, const std::vector<uint8_t>& reachable) {
  DisjointSets sets;
  sets.Reset(graph.node_count());
  uint32_t parts = 0;
  for (uint32_t v = 0; v < graph.node_count(); ++v) parts += reachable[v];
  for (const FlowEdge& e : graph.edges()) {
    if (e.src == kRoot || reachable[Index(e.src)] == 0) continue;
    const uint32_t a = sets.Find(Index(e.src));
    const uint32_t b = sets.Find(Index(e.dst));
    if (a == b) continue;
    sets.Attach(a, b);
    --parts;
  }
  return parts;
}

// Marks switches whose slots are all required, as MethodGraph does.
void CountSomeSwitchesByKey(std::mt19937& random, FlowGraph& graph) {
  for (uint32_t v = 1; v < graph.node_count(); ++v) {
    const auto out = graph.Out(v);
    const bool all = !out.empty() && std::all_of(out.begin(), out.end(), [&](uint32_t e) {
      const FlowEdge& edge = graph.edge(EdgeId{e});
      return edge.kind == EdgeKind::kSlot && edge.required;
    });
    if (!all || random() % 2 != 0) continue;
    for (uint32_t e : out) graph.edge(EdgeId{e}).by_key = true;
  }
}

TEST_CASE("random methods: derived counts are the truth, or within k") {
  std::mt19937 random(20240607);
  ProbePlanner planner;
  FlowGraph graph;
  ProbePlan plan;
  Tally tally;
  RandomShape shape;
  const int graphs = 100'000;
  for (int i = 0; i < graphs; ++i) {
    shape.max_blocks = i % 50 == 0 ? 60 : 3 + static_cast<uint32_t>(i % 14);
    shape.throwing_blocks = i % 4 == 0 ? 0 : 0.5;
    shape.required_branches = i % 3 == 0 ? 0.4 : 1;
    MakeRandomMethod(random, shape, &graph);
    if (i % 7 == 0) CountSomeSwitchesByKey(random, graph);
    const RandomRun wild = RunRandomly(random, graph, 20, 30, 0.1);
    for (PlacementPolicy policy : kPolicies) {
      PlanOptions options;
      options.policy = policy;
      options.count_unwinds = i % 5 != 0;
      options.close_unrequired = i % 6 >= 3;
      planner.Plan(graph, options, &plan);
      CheckShape(graph, plan);
      CheckRun(graph, plan, wild, &tally);
    }
  }
  CAPTURE(tally.plans, tally.derived, tally.clamps, tally.bounded, tally.inexact_values);
  // The interesting cases must have occurred.
  REQUIRE(tally.clamps > 1000);
  REQUIRE(tally.bounded > 10'000);
  REQUIRE(tally.inexact_values > 10'000);
  REQUIRE(tally.derived > 500'000);
}

TEST_CASE("random methods: runs that end regularly derive exactly") {
  std::mt19937 random(7);
  ProbePlanner planner;
  FlowGraph graph;
  ProbePlan plan;
  Tally tally;
  int regular = 0;
  for (int i = 0; i < 30'000; ++i) {
    const double required = i % 3 == 0 ? 0.3 : 1;
    MakeRandomMethod(random, {.max_blocks = 14, .required_branches = required}, &graph);
    const RandomRun run = RunRandomly(random, graph, 10, 2000, 0);
    if (run.imbalances != 0) continue;
    ++regular;
    for (PlacementPolicy policy : kPolicies) {
      planner.Plan(graph, {.policy = policy, .close_unrequired = i % 6 >= 3}, &plan);
      CheckRun(graph, plan, run, &tally);
    }
  }
  REQUIRE(regular > 10'000);
  REQUIRE(tally.inexact_values == 0);
  REQUIRE(tally.clamps == 0);
}

// Whether a reachable block cannot reach an exit.
bool Stuck(const FlowGraph& graph, const std::vector<uint8_t>& reachable) {
  std::vector<uint8_t> leaves(graph.node_count(), 0);
  leaves[Index(kRoot)] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (const FlowEdge& e : graph.edges()) {
      if (leaves[Index(e.dst)] == 0 || leaves[Index(e.src)] != 0) continue;
      leaves[Index(e.src)] = 1;
      changed = true;
    }
  }
  for (uint32_t v = 0; v < graph.node_count(); ++v) {
    if (reachable[v] != 0 && leaves[v] == 0) return true;
  }
  return false;
}

TEST_CASE("no derived placement has more counters than edges less nodes demand") {
  std::mt19937 random(11);
  ProbePlanner planner;
  FlowGraph graph;
  ProbePlan plan;
  for (int i = 0; i < 20'000; ++i) {
    MakeRandomMethod(random, {.max_blocks = 20, .caught_blocks = 0}, &graph);
    const std::vector<uint8_t> reachable = ReachableNodes(graph);
    uint32_t nodes = 0;
    uint32_t edges = 0;
    for (uint8_t r : reachable) nodes += r;
    for (const FlowEdge& e : graph.edges()) edges += reachable[Index(e.src)];
    const uint32_t least = edges - nodes + PartCount(graph, reachable);
    for (PlacementPolicy policy : {PlacementPolicy::kTree, PlacementPolicy::kArborescence}) {
      planner.Plan(graph, {.policy = policy, .count_unwinds = false}, &plan);
      // An endless loop without exit costs the arborescence one more counter.
      if (policy == PlacementPolicy::kArborescence && Stuck(graph, reachable)) continue;
      CAPTURE(i, static_cast<int>(policy), edges, nodes);
      REQUIRE(plan.probes.size() <= least);
    }
  }
}

TEST_CASE("closing up branches that nobody asks for takes fewer counters") {
  std::mt19937 random(13);
  ProbePlanner planner;
  FlowGraph graph;
  ProbePlan whole;
  ProbePlan closed;
  size_t whole_sum = 0;
  size_t closed_sum = 0;
  for (int i = 0; i < 5'000; ++i) {
    MakeRandomMethod(random, {.max_blocks = 30, .required_branches = 0.3}, &graph);
    planner.Plan(graph, {.policy = PlacementPolicy::kTree}, &whole);
    planner.Plan(graph, {.policy = PlacementPolicy::kTree, .close_unrequired = true}, &closed);
    whole_sum += whole.probes.size();
    closed_sum += closed.probes.size();
  }
  CHECK(closed_sum * 10 < whole_sum * 9);
}

TEST_CASE("the same-run oracle: counters replayed from a run that counted every edge") {
  std::mt19937 random(13);
  ProbePlanner planner;
  FlowGraph graph;
  ProbePlan every, tree;
  std::vector<uint64_t> counters;
  for (int i = 0; i < 2'000; ++i) {
    MakeRandomMethod(random, {}, &graph);
    const RandomRun run = RunRandomly(random, graph, 10, 50, 0.05);
    planner.Plan(graph, {.policy = PlacementPolicy::kEveryEdge}, &every);
    planner.Plan(graph, {.policy = PlacementPolicy::kTree}, &tree);
    uint32_t clamps = 0;
    const std::vector<uint64_t> all = ValuesAfter(every, run, &clamps);
    ReplayCounters(every, all, tree, run.unwinds, &counters);
    const std::vector<uint64_t> own = ValuesAfter(tree, run, &clamps);
    REQUIRE(counters == std::vector<uint64_t>(own.begin(), own.begin() + tree.counter_count()));
  }
}

TEST_CASE("every shape of random graph occurs") {
  std::mt19937 random(3);
  FlowGraph graph;
  int self_loops = 0, parallel = 0, unreachable = 0, stuck = 0, handlers = 0, split = 0;
  for (int i = 0; i < 2'000; ++i) {
    MakeRandomMethod(random, {}, &graph);
    const std::vector<uint8_t> reachable = ReachableNodes(graph);
    bool exit = false;
    for (uint32_t e = 0; e < graph.edge_count(); ++e) {
      const FlowEdge& edge = graph.edge(EdgeId{e});
      self_loops += edge.src == edge.dst;
      handlers += edge.kind == EdgeKind::kHandler;
      split += edge.kind == EdgeKind::kInside;
      exit |= edge.dst == kRoot && reachable[Index(edge.src)] != 0;
      for (uint32_t f = e + 1; f < graph.edge_count(); ++f) {
        const FlowEdge& other = graph.edge(EdgeId{f});
        parallel += edge.src == other.src && edge.dst == other.dst;
      }
    }
    for (uint8_t r : reachable) unreachable += r == 0;
    stuck += !exit;
  }
  CAPTURE(self_loops, parallel, unreachable, stuck, handlers, split);
  REQUIRE(self_loops > 100);
  REQUIRE(parallel > 100);
  REQUIRE(unreachable > 100);
  REQUIRE(stuck > 50);
  REQUIRE(handlers > 100);
  REQUIRE(split > 100);
}

// --- Methods small enough to know the best plan by hand.

struct Loop {
  FlowGraph graph;
  NodeId header, body, exit;
  EdgeId leave, stay, back;
};

// for (...) { body }: the header tests, and leaves to the exit or enters the body, which jumps
// back.
Loop MakeLoop(bool throws) {
  Loop l;
  l.header = l.graph.AddNode(0);
  l.body = l.graph.AddNode(2);
  l.exit = l.graph.AddNode(4);
  l.graph.node(l.body).may_throw = throws;
  l.graph.AddEdge(EdgeKind::kEntry, kRoot, l.header);
  l.leave = l.graph.AddEdge(EdgeKind::kTaken, l.header, l.exit, 1);
  l.stay = l.graph.AddEdge(EdgeKind::kNotTaken, l.header, l.body, 1);
  l.back = l.graph.AddEdge(EdgeKind::kJump, l.body, l.header, 3);
  l.graph.AddEdge(EdgeKind::kReturn, l.exit, kRoot, 5);
  l.graph.Require(EdgeId{0});
  l.graph.Require(l.leave);
  l.graph.Require(l.stay);
  l.graph.Finish();
  return l;
}

TEST_CASE("a loop: two counters, one of them per iteration") {
  for (bool throws : {false, true}) {
    Loop l = MakeLoop(throws);
    ProbePlanner planner;
    ProbePlan plan;
    planner.Plan(l.graph, {}, &plan);
    CAPTURE(throws);
    REQUIRE(plan.probes.size() == 2);
    // The required edge is measured, not the back edge, which an exception could prevent.
    REQUIRE(plan.probes[1].edge == l.stay);
    REQUIRE(plan.probes[1].at == ProbeAt::kAfter);
    REQUIRE(planner.frequency().LoopDepth(Index(l.body)) == 1);
    REQUIRE(planner.frequency().LoopDepth(Index(l.exit)) == 0);
  }
}

TEST_CASE("a method without branches has its entry counter only") {
  FlowGraph graph;
  const NodeId block = graph.AddNode(0);
  graph.node(block).may_throw = true;
  graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, block));
  graph.AddEdge(EdgeKind::kReturn, block, kRoot, 1);
  graph.Finish();
  ProbePlanner planner;
  ProbePlan plan;
  for (PlacementPolicy policy : kPolicies) {
    planner.Plan(graph, {.policy = policy}, &plan);
    REQUIRE(plan.probes.size() == 1);
    REQUIRE(plan.unwind_counter == kNoCounter);
    REQUIRE(plan.derivation.step_end.empty());
    REQUIRE(plan.certificate.kind == Exactness::kExact);
    REQUIRE_FALSE(plan.certificate.live_frames_matter);
  }
}

TEST_CASE("a handler that no output rests on is not counted; one that a branch rests on is") {
  for (bool branch_after : {false, true}) {
    // 1: try body, 2: handler, 3: merge (with or without a branch), 4 and 5: its ends.
    FlowGraph graph;
    const NodeId body = graph.AddNode(0), handler = graph.AddNode(2), merge = graph.AddNode(4);
    const NodeId a = graph.AddNode(6), b = graph.AddNode(8);
    graph.node(body).may_throw = true;
    graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, body));
    const EdgeId caught = graph.AddEdge(EdgeKind::kHandler, kRoot, handler, 2);
    graph.AddEdge(EdgeKind::kJump, body, merge, 1);
    graph.AddEdge(EdgeKind::kFallThrough, handler, merge, 3);
    if (branch_after) {
      graph.Require(graph.AddEdge(EdgeKind::kTaken, merge, b, 5));
      graph.Require(graph.AddEdge(EdgeKind::kNotTaken, merge, a, 5));
      graph.AddEdge(EdgeKind::kReturn, a, kRoot, 7);
      graph.AddEdge(EdgeKind::kReturn, b, kRoot, 9);
    } else {
      graph.AddEdge(EdgeKind::kReturn, merge, kRoot, 5);
    }
    graph.AddHandlerRange({body, handler, handler});
    graph.Finish();
    ProbePlanner planner;
    ProbePlan plan;
    planner.Plan(graph, {}, &plan);
    CAPTURE(branch_after);
    REQUIRE((plan.value_of_edge[Index(caught)] != kNoValue) == branch_after);
    REQUIRE(plan.probes.size() == (branch_after ? 3u : 1u));
  }
}

TEST_CASE("an if-else in a loop: the tree counts once an iteration, the arborescence more") {
  // 1: header if, 2 and 3: its sides, 4: merge with the loop branch, 5: exit
  FlowGraph graph;
  const NodeId head = graph.AddNode(0), left = graph.AddNode(2), right = graph.AddNode(4);
  const NodeId merge = graph.AddNode(6), exit = graph.AddNode(8);
  graph.node(left).may_throw = true;
  graph.node(right).may_throw = true;
  graph.node(merge).may_throw = true;
  graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, head));
  graph.Require(graph.AddEdge(EdgeKind::kTaken, head, right, 1));
  graph.Require(graph.AddEdge(EdgeKind::kNotTaken, head, left, 1));
  graph.AddEdge(EdgeKind::kJump, left, merge, 3);
  graph.AddEdge(EdgeKind::kFallThrough, right, merge, 5);
  graph.Require(graph.AddEdge(EdgeKind::kTaken, merge, head, 7));
  graph.Require(graph.AddEdge(EdgeKind::kNotTaken, merge, exit, 7));
  graph.AddEdge(EdgeKind::kReturn, exit, kRoot, 9);
  graph.Finish();
  ProbePlanner planner;
  ProbePlan tree, arborescence, automatic;
  planner.Plan(graph, {.policy = PlacementPolicy::kTree}, &tree);
  planner.Plan(graph, {.policy = PlacementPolicy::kArborescence}, &arborescence);
  planner.Plan(graph, {}, &automatic);
  REQUIRE(tree.probes.size() == 3);
  REQUIRE(arborescence.probes.size() == 3);
  const double iterations = planner.frequency().node_frequency()[Index(head)];
  REQUIRE(tree.cost == Approx(1 + iterations));
  REQUIRE(arborescence.cost > 1 + 1.3 * iterations);
  REQUIRE(automatic.placement == PlacementPolicy::kTree);
}

TEST_CASE("a shared switch target: each key has its own count") {
  for (PlacementPolicy policy : kPolicies) {
    FlowGraph graph;
    const NodeId head = graph.AddNode(0), shared = graph.AddNode(2), other = graph.AddNode(4);
    graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, head));
    EdgeId slots[4];
    const NodeId targets[4] = {shared, other, shared, other};
    for (uint32_t i = 0; i < 4; ++i) {
      slots[i] = graph.AddEdge(EdgeKind::kSlot, head, targets[i], 1, i);
      graph.Require(slots[i]);
    }
    graph.AddEdge(EdgeKind::kReturn, shared, kRoot, 3);
    graph.AddEdge(EdgeKind::kReturn, other, kRoot, 5);
    graph.Finish();
    ProbePlanner planner;
    ProbePlan plan;
    planner.Plan(graph, {.policy = policy}, &plan);
    RandomRun run;
    run.edge_count = {100, 10, 20, 30, 40, 40, 60};
    uint32_t clamps = 0;
    const std::vector<uint64_t> values = ValuesAfter(plan, run, &clamps);
    for (uint32_t i = 0; i < 4; ++i) {
      CAPTURE(static_cast<int>(policy), i);
      REQUIRE(values[plan.value_of_edge[Index(slots[i])]] == 10 * (i + 1));
    }
    REQUIRE(plan.probes.size() == (policy == PlacementPolicy::kDirect ? 5u : 4u));
  }
}

TEST_CASE("a long chain of nested loops is planned without recursion") {
  // Each block branches back to its mirror image: 20,000 nested loops.
  FlowGraph graph;
  const uint32_t blocks = 40'000;
  for (uint32_t b = 0; b < blocks; ++b) graph.AddNode(2 * b);
  graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, NodeId{1}));
  for (uint32_t b = 1; b < blocks; ++b) {
    if (b > blocks / 2) {
      graph.Require(graph.AddEdge(EdgeKind::kTaken, NodeId{b}, NodeId{blocks - b + 1}, 2 * b));
      graph.Require(graph.AddEdge(EdgeKind::kNotTaken, NodeId{b}, NodeId{b + 1}, 2 * b));
    } else {
      graph.AddEdge(EdgeKind::kFallThrough, NodeId{b}, NodeId{b + 1}, 2 * b);
    }
    graph.node(NodeId{b}).may_throw = true;
  }
  graph.AddEdge(EdgeKind::kReturn, NodeId{blocks}, kRoot, 2 * blocks);
  graph.Finish();
  ProbePlanner planner;
  ProbePlan plan;
  for (PlacementPolicy policy : kPolicies) {
    planner.Plan(graph, {.policy = policy}, &plan);
    REQUIRE(plan.probes.size() >= blocks / 2);
  }
  REQUIRE(planner.frequency().LoopDepth(blocks / 2) == blocks / 2 - 1);
}

}  // namespace
}  // namespace iprof::instrument
