// CallsByCaller: how often each call site called each counted method (contexts=calls).
//
// The executions of a call site are known from the caller's counters, and what a virtual call ran from the classes of the
// objects that were counted at its site. So edges cost nothing while the program runs. A method's calls are written by caller, as
// far as the edges are known, and the rest without one: entries are disjoint, and their sum is what was counted.
//
// Example: f was called 1,000 times. The call at a:5 was executed 700 times and can run nothing else; at b:9, 250 of 500 objects
// had f's class. Then 700 are written as f:0<a:5, 250 as f:0<b:9, and 50 as f:0: the JVM, reflection or a method handle called
// it. The heaviest edges are written, until these have kShare of the calls of all edges.
//
// Left out are calls
//  - in the code of intrinsic candidates, which was counted only where it was not replaced,
//  - on objects whose class was lost,
//  - from a version of a method whose positions are not written.
// If edges say more than the method's own count, they are scaled to it, and EdgeFigures names the method.
//
// Guarantees: for each method, entries add up to its calls. The same input gives the same entries.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "writer/profile/model.h"
#include "writer/records/call_targets.h"
#include "writer/records/class_record.h"
#include "writer/records/counted_values.h"
#include "writer/records/method_record.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/type_counts.h"

namespace iprof {

class CallsByCaller {
 public:
  // Of the calls of all edges, the share that is written.
  static constexpr double kShare = 0.999;

  CallsByCaller(const ClassSource& classes, const TypeCounts& types)
      : types_(types), targets_(classes) {}

  // Adds the calls in a counted method, whose record and values are loaded.
  void AddCalls(const ClassRecord& c, const CountedMethod& method, const MethodRecord& record,
                const CountedValues& values);
  // A version of a method, and which one of the profile it is. `has_positions`: its positions are written.
  void NoteVersion(const CountedMethod& version, MethodIndex method, bool has_positions);
  void NoteCalls(MethodIndex method, uint64_t calls);
  // Writes the calls of all methods that were noted. Call once, last.
  EdgeFigures Write(Profile& profile);

 private:
  struct Edge {
    CounterIndex caller;
    CounterIndex callee;
    uint32_t bci;
    double calls;
  };
  // An edge between methods of the profile.
  struct Written {
    MethodIndex callee;
    MethodIndex caller;
    uint32_t bci;
    double calls;
  };
  struct Version {
    MethodIndex method;
    bool has_positions;
  };
  struct Method {
    MethodIndex method;
    uint64_t calls;
  };
  void Add(const CountedMethod& caller, CounterIndex callee, uint32_t bci, double calls);
  // Sums of edges between methods of the profile, by callee, the heaviest first.
  std::vector<Written> Sums() const;
  void Settle(std::vector<Written>& sums, EdgeFigures& figures) const;
  static void WriteOf(const Method& method, std::span<const Written> edges, double least,
                      EdgeFigures& figures, Profile& profile);

  const TypeCounts& types_;
  CallTargets targets_;
  std::vector<Edge> edges_;
  std::unordered_map<CounterIndex, Version> versions_;  // by first counter
  std::vector<Method> calls_;
};

}  // namespace iprof
