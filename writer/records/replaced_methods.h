// ReplacedMethods: how often methods were called whose calls compilers replace, so that their entry counters miss calls.
//
// Compilers replace intrinsics with own code, and leave out calls whose results are not needed (boxing, chains of
// StringBuilder). The methods are intrinsic candidates, by their annotation. Their call sites count all calls, where the
// call can run nothing else. Example: Long.valueOf was entered 16,600,000 times, and its sites were executed 23,400,000
// times: it was called so often, and 6,800,000 calls were replaced. If its entries called Long.<init> 8,300,000 times, the
// replaced calls would have called it 3,400,000 times more.
//
// Guarantees: a method has at least as many calls as entries. Sites that exceptions may have made too high do not outdo the
// entries. What replaced methods call is followed by one call, and further where that is a candidate, too.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "writer/names/typed_names.h"
#include "writer/records/call_targets.h"
#include "writer/records/class_record.h"
#include "writer/records/counted_values.h"
#include "writer/records/method_record.h"

namespace iprof {

class ReplacedMethods {
 public:
  // Fewer entries than these do not show what a method does inside.
  static constexpr uint64_t kLeastEntries = 100;

  // `names_all_callees`: whether records name the callees of all calls, and not only of those that compilers may replace.
  ReplacedMethods(const ClassSource& classes, bool names_all_callees);

  // Adds the calls in a counted method, whose record and values are loaded.
  void AddCalls(const ClassRecord& c, const CountedMethod& method, const MethodRecord& record,
                const CountedValues& values);
  // Call when all calls were added.
  void Settle();
  struct Calls {
    uint64_t calls = 0;
    bool are_counted = true;  // at least half of them, at its entry or at its call sites
  };
  // Of a method with so many entries.
  Calls CallsOf(const ClassRecord& c, const CountedMethod& method, uint64_t entries) const;

 private:
  // The executions of a method's call sites. Sure: a lower bound, also where exceptions made the derived counts wrong.
  struct SiteCalls {
    bool is_candidate = false;
    uint64_t entries = 0;  // of a candidate
    uint64_t count = 0;
    uint64_t sure = 0;
    double missing = 0;  // calls at sites in replaced methods, which did not count them

    double Calls(uint64_t counted_entries) const;
  };
  // Calls in a candidate's body.
  struct InnerCall {
    SiteCalls* from;
    SiteCalls* to;
    uint64_t count;
  };
  SiteCalls* SumOf(const Callee& callee, bool any);
  SiteCalls* FindSum(const Callee& callee, bool any);

  const bool names_all_callees_;
  std::optional<CallTargets> targets_;  // by the first version of each name; until Settle
  std::unordered_map<MethodKey, SiteCalls> site_calls_;  // of candidates, and of what they call
  std::unordered_map<std::string, SiteCalls*> sums_;     // by what a call names
  std::vector<InnerCall> inner_;
};

}  // namespace iprof
