#include "agent/harvest/call_graph.h"

#include <algorithm>

#include "writer/flow/class_hierarchy.h"
#include "writer/flow/receiver_split.h"

namespace iprof::hotspot {
namespace {

using classfile::Op;

constexpr double kSmallest = 0.001;  // of the weights that divide an unlisted rest
// Less than this part of the largest weight gets nothing. A little less than a tenth, so that rounding
// does not decide.
constexpr double kRare = 0.1 * (1 - 1e-9);

// The rest of a virtual call, which goes to any method of the classes without a row.
struct Rest {
  uint32_t caller;
  uint32_t klass;
  Selector selector;
  double count;
  double guess;
  const HarvestedTypes* rows;  // null: none
  bool is_exact;
};

ClassHierarchy HierarchyOf(const HarvestedProgram& program) {
  ClassHierarchy made;
  made.Reserve(program.classes.size(), program.methods.size());
  for (const HarvestedMethod& method : program.methods)
    made.AddMethod(made.AddSelector(method.name, method.descriptor), method.access);
  for (const HarvestedClass& klass : program.classes) {
    made.AddClass({.name = klass.name,
                   .loader = klass.loader,
                   .super = klass.super,
                   .interfaces = klass.interfaces,
                   .access = klass.access,
                   .is_current = !klass.is_previous_version,
                   .counted = CountsOf(program, klass),
                   .first_method = klass.first_method,
                   .methods = klass.methods});
  }
  made.Settle();
  return made;
}

class Builder {
 public:
  explicit Builder(const HarvestedProgram& program)
      : program_(program),
        old_(FindOldCounts(program)),
        hierarchy_(HierarchyOf(program)),
        listed_(program.methods.size()) {}

  std::vector<CountedCall> Run() {
    for (uint32_t m = 0; m < program_.methods.size(); ++m) AddCallsOf(m);
    for (const HarvestedHandleCall& call : program_.handle_calls) AddHandleCall(call);
    for (const Rest& rest : rests_) Divide(rest);
    return std::move(calls_);
  }

 private:
  void AddCallsOf(uint32_t caller) {
    const HarvestedMethod& method = program_.methods[caller];
    const HarvestedClass& klass = program_.classes[method.klass];
    if (klass.is_previous_version) return;
    size_t types = 0;
    for (const HarvestedCall& call : method.calls) {
      while (types < method.types.size() && method.types[types].bci < call.bci) ++types;
      const HarvestedTypes* rows = nullptr;
      if (types < method.types.size() && method.types[types].bci == call.bci)
        rows = &method.types[types];
      if (call.owner.empty()) continue;  // invokedynamic
      const auto selector = hierarchy_.FindSelector(call.name, call.descriptor);
      if (!selector) continue;
      const auto owners = hierarchy_.FindClasses(call.owner, klass.loader);
      double all = 0;
      for (const uint32_t owner : owners) all += EntriesOf(owner, *selector);
      for (const uint32_t owner : owners)
        AddCall(caller, call, owner, *selector, rows, EntriesOf(owner, *selector) / all);
    }
  }

  // Several classes can have the name, and the caller's loader none of them. Then each gets a part of the call, by how often its
  // method was entered. Example: a script is loaded ten times, and reflection calls each copy through an accessor in a loader of its
  // own. Each copy gets a tenth of the calls of all accessors.
  double EntriesOf(uint32_t owner, Selector selector) {
    const auto method = hierarchy_.Resolve(owner, selector);
    return method ? static_cast<double>(program_.methods[*method].invocations) + kSmallest
                  : kSmallest;
  }

  // `part`: the share of the call that goes to this owner.
  void AddCall(uint32_t caller, const HarvestedCall& call, uint32_t owner, Selector selector,
               const HarvestedTypes* rows, double part) {
    const auto counted = static_cast<double>(call.block_count) * part;
    const bool is_exact = call.exact_count.has_value();
    // No agent and no MethodData counted it. The interpreter, which ran the caller, counts each call
    // that it makes.
    const bool is_guessed = !is_exact && !program_.methods[caller].has_data;
    const auto count = static_cast<double>(call.exact_count.value_or(call.block_count)) * part;
    const double guess = call.guess * part;
    // Exact or not, what is listed is compared with what HotSpot counted.
    const auto add = [&](uint32_t callee, double share) {
      if ((is_guessed || count == 0) && program_.methods[callee].never_ran) return;
      if (!old_[caller]) listed_[callee] += counted * share;
      calls_.push_back({caller, callee, count * share, guess * share, false, is_exact});
    };
    if (call.op == Op::invokestatic || call.op == Op::invokespecial) {
      if (const auto callee = hierarchy_.Resolve(owner, selector)) add(*callee, 1);
      return;
    }
    double rest = 1;
    if (rows != nullptr && rows->is_call) {
      const auto runs = [&](uint32_t type) {
        return RunByReceiver{.is_known = true, .method = hierarchy_.Resolve(type, selector)};
      };
      // HotSpot stops counting objects and executions alike.
      rest = SplitByReceivers(rows->rows, rows->lost, 0, runs, add).Of(1);
    }
    if (rest > 0)
      rests_.push_back({caller, owner, selector, count * rest, guess * rest, rows, is_exact});
  }

  void AddHandleCall(const HarvestedHandleCall& call) {
    const HarvestedMethod& caller = program_.methods[call.caller];
    if (!caller.has_data && caller.calls.empty()) return;  // unloaded since then
    if (!call.is_virtual) {
      AddGuessed(call.caller, call.callee, call.count);
      return;
    }
    const Selector selector = hierarchy_.SelectorOf(call.callee);
    if (call.receiver == kNoClass) {
      rests_.push_back({call.caller, program_.methods[call.callee].klass, selector, call.count, 0,
                        nullptr, false});
    } else if (const auto callee = hierarchy_.Resolve(call.receiver, selector)) {
      AddGuessed(call.caller, *callee, call.count);
    }
  }

  void AddGuessed(uint32_t caller, uint32_t callee, double count) {
    listed_[callee] += count;
    calls_.push_back({caller, callee, count, 0, true});
  }

  void Divide(const Rest& rest) {
    const Implementations& all = hierarchy_.ImplementationsOf(rest.klass, rest.selector);
    // A method without MethodData has no receivers either. How often it calls and whom would both be
    // guessed, unless its calls are exact.
    const bool is_guessed = all.methods.size() > 1;
    if ((!program_.methods[rest.caller].has_data && !rest.is_exact) || rest.count == 0) {
      if (is_guessed || all.methods.empty() || program_.methods[all.methods[0]].never_ran) return;
    }
    const std::vector<uint32_t>& methods = CandidatesFor(rest, all);
    std::vector<double>& weights = weights_;
    weights.clear();
    for (const uint32_t method : methods) weights.push_back(WeightOf(method));
    RaiseUnknown(methods, weights);
    // The shares of rare methods are mostly wrong. They would also join methods that never call each
    // other to one recursion, of which all would then get too much.
    double most = 0;
    for (const double weight : weights) most = std::max(most, weight);
    double sum = 0;
    for (size_t m = 0; m < weights.size(); ++m) {
      if (weights[m] < kRare * most && !IsUnknown(methods[m])) weights[m] = 0;
      sum += weights[m];
    }
    for (size_t m = 0; m < methods.size(); ++m) {
      if (weights[m] > 0)
        calls_.push_back({rest.caller, methods[m], rest.count * (weights[m] / sum),
                          rest.guess * (weights[m] / sum), is_guessed, rest.is_exact});
    }
  }

  // Where the rest may go. HotSpot counts a class that has a row in this row, and in the rest only what
  // comes when no row is free. Rows that were cleared, as their classes were unloaded, start again with
  // the rest at 0. So the rest is of classes without a row, and a method that only listed classes run
  // gets nothing of it. While a row is free, no class can be without one. Then the rest comes from code
  // of C1 that calls the only method there is yet, if that is final, and counts no class.
  // Valid until the next call.
  const std::vector<uint32_t>& CandidatesFor(const Rest& rest, const Implementations& all) {
    if (rest.rows == nullptr) return all.methods;
    std::vector<uint32_t>& listed = classes_with_row_;
    listed.clear();
    for (const auto& [type, objects] : rest.rows->rows) {
      if (std::binary_search(all.classes.begin(), all.classes.end(), type)) listed.push_back(type);
    }
    // Threads that claim rows at the same time may give one class two.
    std::sort(listed.begin(), listed.end());
    listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
    std::vector<uint32_t>& by_listed = by_listed_;  // how many listed classes run each method
    by_listed.assign(all.methods.size(), 0);
    for (const uint32_t type : listed) {
      const auto method = hierarchy_.Resolve(type, rest.selector);
      if (!method) continue;
      const auto at = std::lower_bound(all.methods.begin(), all.methods.end(), *method);
      ++by_listed[static_cast<size_t>(at - all.methods.begin())];
    }
    std::vector<uint32_t>& candidates = candidates_;
    candidates.clear();
    for (size_t m = 0; m < by_listed.size(); ++m) {
      const bool is_candidate =
          rest.rows->has_free_row ? by_listed[m] > 0 : by_listed[m] < all.receivers[m];
      if (is_candidate) candidates.push_back(all.methods[m]);
    }
    return candidates.empty() ? all.methods : candidates;
  }

  bool IsUnknown(uint32_t number) const {
    const HarvestedMethod& method = program_.methods[number];
    return method.is_uncounted && !method.is_exact && listed_[number] == 0;
  }

  // A method that was compiled without counters and that no row lists may be rare or not. Each gets what
  // just is not rare, but all together no more than one that is known. No bytecode of such a method calls
  // another, so it joins nothing to a recursion.
  void RaiseUnknown(const std::vector<uint32_t>& methods, std::vector<double>& weights) {
    std::vector<size_t>& unknown = unknown_;
    unknown.clear();
    double most = 0;
    for (size_t m = 0; m < methods.size(); ++m) {
      most = std::max(most, weights[m]);
      if (IsUnknown(methods[m])) unknown.push_back(m);
    }
    if (unknown.empty()) return;
    const double least = most * std::min(kRare, 1 / static_cast<double>(unknown.size()));
    for (const size_t m : unknown) weights[m] = std::max(weights[m], least);
  }

  // How many calls of a method are listed nowhere. The counts of methods that were compiled without
  // counters mean nothing, so what is listed elsewhere stands for them. Exact counts go on when HotSpot's
  // have stopped, so they cannot be compared with those of the others.
  double WeightOf(uint32_t number) const {
    const HarvestedMethod& method = program_.methods[number];
    if (old_[number]) return kSmallest;
    const auto raw =
        static_cast<double>(method.is_exact ? method.data_invocations : method.invocations);
    const double listed = listed_[number];
    const double weight = method.has_data ? raw - listed : std::max(raw, listed);
    return std::max(weight, raw * kSmallest) + kSmallest;
  }

  const HarvestedProgram& program_;
  const std::vector<bool> old_;  // by method
  ClassHierarchy hierarchy_;
  std::vector<double> listed_;  // by callee
  std::vector<CountedCall> calls_;
  std::vector<Rest> rests_;
  // Used again for each rest.
  std::vector<uint32_t> classes_with_row_, by_listed_, candidates_;
  std::vector<double> weights_;
  std::vector<size_t> unknown_;
};

}  // namespace

std::vector<bool> FindOldCounts(const HarvestedProgram& program) {
  std::vector<bool> old(program.methods.size());
  for (const HarvestedClass& klass : program.classes) {
    if (!klass.is_superseded) continue;
    for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m)
      old[m] = !program.methods[m].is_exact;
  }
  return old;
}

std::vector<CountedCall> CountCalls(const HarvestedProgram& program) {
  return Builder(program).Run();
}

}  // namespace iprof::hotspot
