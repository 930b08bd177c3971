// CallEdges: who calls whom, how often, among the methods of a report. To what stacks and calling contexts show
// (ReportMethod), it adds what call sites show: the classes of receivers, and executions of static calls in bytecode.
//
// How: a receiver's class and the name at its call site are a method. Where the bytecode is known, the types of its
// parameters are known, too; otherwise the class must have one method of this name only. A method that the class inherits
// is not found. A static call, or one of a constructor, a private method or `super`, ran as often as its block.
//
// Guarantees: a call is counted once, although both a context and a call site have it. Edges are ordered by samples, then by
// calls, largest first, then by name. Methods that are not in the report have no edges.
// Threads: one per object; const methods may run in parallel. Failure: what does not follow is left out; std::bad_alloc.
#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/views/report/block_executions.h"
#include "cli/views/report/method_listing.h"
#include "cli/views/report/report_model.h"

namespace iprof {

// The executions of a method's blocks in one of the profiles.
std::vector<BlockExecutions> BlocksOf(const ReportMethod& method, const MethodListing& listing,
                                      size_t side);

class CallEdges {
 public:
  // The methods must stay. `sides`: the number of profiles.
  CallEdges(const Profile& names, std::span<const ReportMethod* const> methods, size_t sides);

  // Adds the calls of a method's call sites; the listing may be null. At most once for each method. Returns the number of
  // static calls.
  size_t AddSites(const ReportMethod& method, const MethodListing* listing);

  std::vector<ReportEdge> CallersOf(const ReportMethod& method) const;
  std::vector<ReportEdge> CalleesOf(const ReportMethod& method) const;

 private:
  using Calls = std::unordered_map<MethodIndex, std::map<MethodIndex, Counts>>;

  void AddReceivers(const ReportMethod& method, const ReportSite& site,
                    const ListedInstruction* call);
  void Add(MethodIndex caller, MethodIndex callee, const Counts& counts);
  std::vector<ReportEdge> Together(const std::vector<ReportEdge>& known, const Calls& calls,
                                   MethodIndex method) const;

  const Profile& names_;
  size_t sides_;
  std::unordered_map<std::string, MethodIndex> by_text_;
  std::unordered_map<std::string, MethodIndex> by_name_;  // "a.B.name"; kNoMethod: several
  Calls callers_;
  Calls callees_;
};

}  // namespace iprof
