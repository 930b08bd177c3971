// SplitByReceivers: divides the calls of a site among methods, by the classes of the objects that were counted there.
//
// Each object runs a method, or nothing that matters, or it is not known what it runs. The last kind, objects
// whose class was lost, and calls without an object are the rest.
//
// Example: at a site with 200 calls 100 objects were counted: 60 of class Left, 30 of Right, and 10 of lost classes. If
// both were counted all the time (`at_least` is 200), Left's method gets 0.3 of the calls, Right's 0.15, and the
// rest is 0.55. If the counting of objects stopped early (`at_least` is 0), the shares are 0.6, 0.3 and 0.1.
//
// Guarantees: pure; no share is negative, and shares and rest together are 1 at most, and less only by what runs
// nothing that matters. Threads: any. Failure: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace iprof {

struct ReceiverRest {
  double objects = 0;
  double total = 0;
  double Of(double calls) const { return total > 0 ? calls * objects / total : 0; }
};

// What an object of a class runs.
struct RunByReceiver {
  bool is_known = true;
  std::optional<uint32_t> method =
      std::nullopt;  // nullopt although it is known: nothing that matters
};

// `rows`: pairs of a class and its objects. `runs(klass)` is a RunByReceiver; `add(method, share)` gets the shares.
template <typename Rows, typename Runs, typename Add>
ReceiverRest SplitByReceivers(const Rows& rows, uint64_t lost, double at_least, const Runs& runs,
                              const Add& add) {
  double listed = 0;
  for (const auto& [klass, objects] : rows) listed += static_cast<double>(objects);
  const double counted = listed + static_cast<double>(lost);
  ReceiverRest rest{.objects = static_cast<double>(lost) + std::max(at_least - counted, 0.0),
                    .total = std::max(counted, at_least)};
  if (rest.total <= 0) return rest;
  for (const auto& [klass, objects] : rows) {
    const RunByReceiver run = runs(klass);
    if (!run.is_known) rest.objects += static_cast<double>(objects);
    if (run.method) add(*run.method, static_cast<double>(objects) / rest.total);
  }
  return rest;
}

}  // namespace iprof
