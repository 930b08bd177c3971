// UnseenCalls: estimates the calls that no bytecode names: those through method handles, by
// invokedynamic and VarHandles, and what HotSpot or reflection calls.
//
// Why: reflection, VarHandles and, where objects cannot be read, invokedynamic call through
// handles. So the flow from such call sites is known, but not where it goes; and the callees look
// as if nothing called them.
//
// How: a method that was counted often, and into which hardly anything flows, was called unseen. Of
// its counted calls, those that no call site explains were made from outside; its calls of itself
// are none of them. Its counts stopped like those of any method, so this part is scaled by the
// growth of the sites that call through handles: how much more often they were executed than
// counted. Only sites whose targets are not known call other methods unseen, but all of them call
// the JDK's own parts of handles. The first growth holds for methods of a shape (parameters and
// result, as far as handles distinguish them) that handles call more often than all of them were
// counted, and raises all of them to as many calls at most. Intrinsics, such as Class.cast, are what
// handles do on the way: they take no part of these calls, and grow no more than the parts of handles.
// Other methods are called by HotSpot, by reflection, or by code that was not profiled,
// and their counts are left alone.
//
// Example: handles were counted to call methods of a shape 120,000 times. Ten accessors of reflection have that shape and 10,000 calls
// each, which reach a site that was counted 1,000 times. So the site grew a hundredfold, but the accessors at most by 1.2.
//
// Guarantees: pure; finite. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "agent/harvest/harvested_program.h"
#include "writer/flow/flow_solver.h"

namespace iprof::hotspot {

class UnseenCalls {
 public:
  explicit UnseenCalls(const HarvestedProgram& program);

  // How often each method is called unseen, given a first solution of `problem`, and how much more
  // often the blocks of each method were executed than counted. `least`: how much more often, if only
  // counted entries are taken. These may be older than the method's MethodData, so it can be above 1. Empty: there are no such sites.
  std::vector<double> Estimate(const FlowProblem& problem, std::span<const double> total,
                               std::span<const double> factors,
                               std::span<const double> least) const;

 private:
  struct Site {
    uint32_t caller = 0;
    double count = 0;
  };

  bool IsPartOfHandles(uint32_t method) const;
  bool IsIntrinsic(uint32_t method) const { return program_.methods[method].intrinsic != 0; }
  // How much more often the sites were executed than with the factors `least`.
  static double Growth(const std::vector<Site>& sites, std::span<const double> factors,
                       std::span<const double> least);

  const HarvestedProgram& program_;
  std::vector<Site> sites_;    // all calls through handles of a method, by caller
  std::vector<Site> unknown_;  // those of them whose targets are not known
  // How often handles were counted to call methods, by whether these are static, and by shape.
  std::map<std::string, double> links_[2];
};

}  // namespace iprof::hotspot
