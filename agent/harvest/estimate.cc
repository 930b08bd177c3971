#include "agent/harvest/estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "agent/harvest/call_graph.h"
#include "agent/harvest/counter_wrap.h"
#include "agent/harvest/unseen_calls.h"
#include "writer/flow/flow_solver.h"

namespace iprof::hotspot {
namespace {

constexpr uint64_t kFewEntries = 64;     // of a method that mostly loops,
constexpr uint64_t kManyRounds = 2'000;  // and its rounds
constexpr double kOwnShare = 0.95;       // of a callee's calls that come from one caller
constexpr size_t kFewestWitnesses = 4;
constexpr double kMostSpread = 1.5;  // between the witnesses' quartiles
constexpr int kUnseenRounds = 3;     // each scales what the one before added
constexpr double kMostFeedback = 2;  // a round that adds more than this times the first is left out
constexpr uint64_t kManyExecutions = 200;  // whose shares hold for all
constexpr double kMostOfCounted = 2;       // what is more is estimated for the larger part
constexpr uint64_t kMostCalls = uint64_t{1} << 62;
constexpr double kGuessWeight = 16;  // entries; chosen in docs/lab/methoddata.md

// Intrinsics whose bodies compiled code still runs, because compilers only recognise them.
bool RunsItsBody(const HarvestedProgram& program, const HarvestedMethod& method) {
  if (method.name.starts_with('<') || method.name == "valueOf" || method.name.ends_with("Value"))
    return true;
  const std::string_view owner = program.classes[method.klass].name;
  return owner == "java/lang/StringBuilder" || owner == "java/lang/StringBuffer";
}

class Estimator {
 public:
  Estimator(const HarvestedProgram& program, Growth growth)
      : program_(program),
        growth_(growth),
        calls_(CountCalls(program)),
        old_(FindOldCounts(program)),
        loops_(program.methods.size(), 1.0),
        wrapped_(program.methods.size()) {}

  Estimate Run() {
    FindWraps();
    ScaleLoops();
    LearnFacts();
    FlowProblem problem;
    const size_t methods = program_.methods.size();
    problem.external.resize(methods);
    problem.floor.reserve(methods);
    problem.ceiling.reserve(methods);
    for (const Facts& facts : facts_) {
      problem.floor.push_back(static_cast<double>(facts.floor));
      problem.ceiling.push_back(facts.is_counted ? problem.floor.back() : kMostTotal);
    }
    problem.edges.reserve(calls_.size());
    for (const CountedCall& call : calls_) {
      if (facts_[call.callee].is_counted) continue;  // nothing flows in; see UnseenCalls
      const Facts& caller = facts_[call.caller];
      if (call.is_exact || caller.keeps_its_counts) {
        problem.external[call.callee] += call.count;
        continue;
      }
      if (growth_ == Growth::kOfMany && ExecutionsOf(call.caller) < kManyExecutions) {
        if (program_.methods[call.caller].has_data) problem.external[call.callee] += call.count;
        continue;
      }
      const HarvestedMethod& method = program_.methods[call.caller];
      const double frequency = FrequencyOf(call);
      // What was counted is certain. Only the entries beyond have the frequency.
      const double certain = std::max(0.0, call.count - frequency * caller.entries);
      problem.external[call.callee] += certain * loops_[call.caller];
      if (method.is_complete && method.has_data) {
        // Entries before there was a MethodData execute a block at most once more than they jumped backwards.
        const auto before = static_cast<double>(facts_[call.caller].floor) - caller.entries;
        const double most = before + static_cast<double>(method.rounds_before_data);
        problem.external[call.callee] +=
            frequency * caller.entries + std::clamp(before * frequency, 0.0, std::max(most, 0.0));
        continue;
      }
      problem.edges.push_back({call.caller, call.callee, frequency * loops_[call.caller]});
    }
    const Solution solution = SolveWithUnseen(problem);
    const std::vector<double>& total = solution.flow.total;
    Estimate estimate;
    estimate.recursive_groups = solution.flow.recursive_groups;
    estimate.scales.resize(methods);
    const std::vector<Sureness> calls = SurenessOfCalls(problem, solution);
    for (uint32_t m = 0; m < methods; ++m) {
      estimate.scales[m] = ScaleOf(m, total[m]);
      estimate.scales[m].sureness = SurenessOf(m, estimate.scales[m].factor, calls[m]);
    }
    return estimate;
  }

 private:
  // What is asked of a method again and again. Methods themselves take far more memory than a
  // processor's cache.
  struct Facts {
    double entries = 1;
    uint64_t floor = 0;
    bool is_counted = false;
    bool keeps_its_counts = false;
  };

  struct Solution {
    FlowSolution flow;
    std::vector<double>
        unseen;  // by method, what flows in from outside beyond the problem; empty: nothing
  };

  void LearnFacts() {
    facts_.reserve(program_.methods.size());
    for (uint32_t m = 0; m < program_.methods.size(); ++m)
      facts_.push_back({EntriesOf(m), FloorOf(m), IsCounted(m), KeepsItsCounts(m)});
  }

  // How often one entry executes the call. What few entries did is typical of all only as far as the code agrees: a
  // guess counts as kGuessWeight entries.
  double FrequencyOf(const CountedCall& call) const {
    const double entries = facts_[call.caller].entries;
    if (!program_.methods[call.caller].has_guesses) return call.count / entries;
    return (call.count + kGuessWeight * call.guess) / (entries + kGuessWeight);
  }

  // From which the shares of its calls are known; 0: they are guessed.
  uint64_t ExecutionsOf(uint32_t number) const {
    return program_.methods[number].has_data ? static_cast<uint64_t>(facts_[number].entries) : 0;
  }

  std::vector<Sureness> SurenessOfCalls(const FlowProblem& problem,
                                        const Solution& solution) const {
    constexpr uint32_t kNone = UINT32_MAX;
    constexpr uint32_t kUnseen = kNone - 1;
    constexpr int kMostSteps = 50;  // back to the first callers
    const std::vector<double>& total = solution.flow.total;
    // The caller that calls most, if it makes more calls than were counted of others.
    std::vector<uint32_t> caller(total.size(), kNone);
    std::vector<double> most = problem.external;
    for (size_t m = 0; m < solution.unseen.size(); ++m) {
      if (solution.unseen[m] <= most[m]) continue;
      most[m] = solution.unseen[m];
      caller[m] = kUnseen;
    }
    for (const FlowEdge& edge : problem.edges) {
      const double calls = total[edge.from] * edge.gain;
      if (edge.from == edge.to || calls <= most[edge.to]) continue;
      most[edge.to] = calls;
      caller[edge.to] = edge.from;
    }
    const auto is_counted = [&](uint32_t m) {
      return facts_[m].is_counted ||
             total[m] <= kMostOfCounted * static_cast<double>(facts_[m].floor);
    };
    std::vector<Sureness> calls;
    calls.reserve(total.size());
    for (uint32_t m = 0; m < total.size(); ++m) {
      Sureness sureness = facts_[m].is_counted ? Sureness::Exact() : Sureness::Bounded();
      uint32_t at = m;
      for (int step = 0; step < kMostSteps && !is_counted(at) && caller[at] != kNone; ++step) {
        at = caller[at];
        if (at == kUnseen) {
          sureness = Sureness::EstimatedFrom(0);
          break;
        }
        // What a caller did that was counted for the most part was counted at its calls.
        if (program_.methods[at].has_data && FactorOf(at, total[at]) <= kMostOfCounted) break;
        sureness = std::max(sureness, Sureness::EstimatedFrom(ExecutionsOf(at)));
      }
      calls.push_back(sureness);
    }
    return calls;
  }

  // Calls follow their callers; branches and receivers follow what was counted of the method itself.
  Sureness SurenessOf(uint32_t number, double factor, Sureness calls) const {
    const HarvestedMethod& method = program_.methods[number];
    if (method.is_exact) return Sureness::Exact();
    if (factor <= 1 || (method.branches.empty() && method.types.empty())) return calls;
    return Sureness::Of(calls, factor <= kMostOfCounted
                                   ? Sureness::Bounded()
                                   : Sureness::EstimatedFrom(ExecutionsOf(number)));
  }

  // What is called unseen depends on how much more often its callers were executed than counted. If these are called unseen
  // themselves, each round raises the next. Example: of a Groovy program, the rounds grew by 10, 117 and 1,270; the first holds.
  Solution SolveWithUnseen(const FlowProblem& problem) const {
    const FlowSolver solver(problem);
    Solution solution{.flow = solver.Solve(), .unseen = {}};
    const UnseenCalls unseen_calls(program_);
    double most = kMostTotal;
    for (int round = 0; round < kUnseenRounds; ++round) {
      const std::vector<double>& total = solution.flow.total;
      std::vector<double> unseen =
          unseen_calls.Estimate(problem, total, FactorsOf(total), FactorsOf(problem.floor));
      const double sum = std::accumulate(unseen.begin(), unseen.end(), 0.0);
      if (unseen.empty() || sum > most) break;
      if (round == 0) most = sum * kMostFeedback;
      solution.unseen = std::move(unseen);
      std::vector<double> external = problem.external;
      for (size_t m = 0; m < solution.unseen.size(); ++m) external[m] += solution.unseen[m];
      solution.flow = solver.Solve(external);
    }
    return solution;
  }

  // Whether its invocations are all there are. What has nothing to profile, such as an accessor, is
  // compiled without counters even if it has a MethodData.
  bool IsCounted(uint32_t number) const {
    const HarvestedMethod& method = program_.methods[number];
    if (method.is_exact || method.is_complete) return true;
    if (old_[number]) return false;
    return program_.counts_to_the_end && method.has_data &&
           !(method.branches.empty() && method.calls.empty());
  }

  // Entries to which the counts inside a method belong. If it was not entered since it has a
  // MethodData, they are those of loops that were under way, in as many threads as entered it.
  double EntriesOf(uint32_t number) const {
    const HarvestedMethod& method = program_.methods[number];
    uint64_t entries = method.data_invocations + wrapped_[number];
    if (entries == 0 && !method.is_exact) entries = method.invocations;
    return static_cast<double>(std::max<uint64_t>(entries, 1));
  }

  bool KeepsItsCounts(uint32_t number) const {
    const HarvestedMethod& method = program_.methods[number];
    return method.intrinsic != 0 && !RunsItsBody(program_, method);
  }

  // A copy with old counts is called as often as the records of its callers say.
  uint64_t FloorOf(uint32_t number) const {
    return old_[number] ? 0 : program_.methods[number].invocations + wrapped_[number];
  }

  // How much more often the blocks of a method were executed than counted. Less often only where the counts are old.
  double FactorOf(uint32_t number, double total) const {
    const Facts& facts = facts_[number];
    if (facts.keeps_its_counts) return 1;
    return std::max(old_[number] ? 0.0 : 1.0, total / facts.entries * loops_[number]);
  }

  std::vector<double> FactorsOf(const std::vector<double>& total) const {
    std::vector<double> factors;
    factors.reserve(total.size());
    for (uint32_t m = 0; m < total.size(); ++m) factors.push_back(FactorOf(m, total[m]));
    return factors;
  }

  MethodScale ScaleOf(uint32_t number, double total) const {
    MethodScale scale;
    const double calls = std::min(std::round(total), static_cast<double>(kMostCalls));
    scale.calls = std::max(facts_[number].floor, static_cast<uint64_t>(calls));
    scale.factor = FactorOf(number, total);
    return scale;
  }

  // A counter of entries has 31 bits. Most methods begin with a record of 64 (method_decoder.cc). Of
  // others that are counted to the end, their callers' records show how often it went back to 0.
  void FindWraps() {
    if (!program_.counts_to_the_end) return;
    std::vector<double> into(program_.methods.size());
    for (const CountedCall& call : calls_) {
      const HarvestedMethod& caller = program_.methods[call.caller];
      if (!call.is_guessed && caller.has_data && !old_[call.caller])
        into[call.callee] += call.count;
    }
    for (uint32_t m = 0; m < into.size(); ++m) {
      const HarvestedMethod& method = program_.methods[m];
      if (method.is_exact || !IsCounted(m) || !(into[m] < static_cast<double>(kMostCells)))
        continue;
      wrapped_[m] =
          Unwrapped(method.invocations, static_cast<uint64_t>(into[m])) - method.invocations;
    }
  }

  // A method that is entered a few times and loops for long is compiled while it runs, and its own
  // counts stop. Callees without other callers show how far its loop really went, if they agree.
  void ScaleLoops() {
    std::vector<double> into(program_.methods.size());
    std::vector<CountedCall> sorted;  // those of methods that loop
    for (const CountedCall& call : calls_) {
      if (old_[call.caller]) continue;
      const HarvestedMethod& caller = program_.methods[call.caller];
      into[call.callee] += call.count;
      if (caller.data_invocations <= kFewEntries && caller.back_edges >= kManyRounds)
        sorted.push_back(call);
    }
    std::sort(sorted.begin(), sorted.end(), [](const CountedCall& a, const CountedCall& b) {
      return a.caller != b.caller ? a.caller < b.caller : a.callee < b.callee;
    });
    for (size_t first = 0; first < sorted.size();) {
      const uint32_t caller = sorted[first].caller;
      std::vector<double> ratios;
      size_t at = first;
      while (at < sorted.size() && sorted[at].caller == caller) {
        const uint32_t callee = sorted[at].callee;
        double count = 0;
        for (; at < sorted.size() && sorted[at].caller == caller && sorted[at].callee == callee;
             ++at) {
          if (!sorted[at].is_exact) count += sorted[at].count;
        }
        if (callee == caller || !CountsItsCalls(callee)) continue;
        if (count > 0 && count >= kOwnShare * into[callee]) {
          ratios.push_back(static_cast<double>(program_.methods[callee].invocations) / count);
        }
      }
      first = at;
      loops_[caller] = AgreedRatio(ratios);
    }
  }

  // What is compiled without counters has counts that mean nothing.
  bool CountsItsCalls(uint32_t number) const {
    const HarvestedMethod& method = program_.methods[number];
    return method.is_exact || (method.has_data && !old_[number]);
  }

  static double AgreedRatio(std::vector<double>& ratios) {
    if (ratios.size() < kFewestWitnesses) return 1;
    std::sort(ratios.begin(), ratios.end());
    const double low = ratios[ratios.size() / 4];
    const double high = ratios[ratios.size() * 3 / 4];
    return high > kMostSpread * low ? 1 : std::max(1.0, ratios[ratios.size() / 2]);
  }

  const HarvestedProgram& program_;
  const Growth growth_;
  const std::vector<CountedCall> calls_;
  const std::vector<bool> old_;    // by method
  std::vector<double> loops_;      // by method: how much more often its loops ran than was counted
  std::vector<uint64_t> wrapped_;  // by method: entries that its counter lost
  std::vector<Facts> facts_;       // by method
};

}  // namespace

Estimate EstimateCalls(const HarvestedProgram& program, Growth growth) {
  return Estimator(program, growth).Run();
}

}  // namespace iprof::hotspot
