// ContextSites: the calls and branches of an earlier profile whose stacks are worth taking (contexts=all): they do several
// things, and the program is often there.
//
// A call is chosen if its most frequent class has less than kSureShare of it; a branch if more than kRareShare go another
// way than most. The most frequent of them are taken, until they make kShareOfAll of the executions of all such
// sites, or are kMost. Never chosen are methods that run while a virtual thread changes its carrier, where the JVM does not give stacks.
//
// Example: of 3,000 branches in a profile 900 go both ways, and the 240 most frequent of these make 99 % of their executions.
// So 240 are chosen, and a method that has two of them gets their numbers from Of.
//
// Guarantees: sites have numbers from 0 on; those of a method follow each other. Nothing refers to the profile any more.
// Threads: const methods run in parallel. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/plan/branch_weights.h"
#include "writer/profile/model.h"

namespace iprof::instrument {

struct ContextSite {
  uint64_t method;     // MethodHash
  uint64_t code_hash;  // of which kCodeHashBits are known; 0: not known
  Bci bci;
  bool is_call;  // otherwise a branch
  uint64_t executions;
};

class ContextSites {
 public:
  static constexpr size_t kMost = 1024;
  static constexpr double kSureShare = 0.9;
  static constexpr double kRareShare = 0.02;
  static constexpr double kShareOfAll = 0.99;

  ContextSites() = default;
  explicit ContextSites(const Profile& profile);

  std::span<const ContextSite> sites() const { return sites_; }
  // The classes of their methods, as a profile names them.
  const std::set<std::string>& classes() const { return classes_; }
  // The sites of a method with this code.
  struct OfMethod {
    uint32_t first = 0;  // the number of the first one
    std::span<const ContextSite> sites;
  };
  OfMethod Of(const MethodNames& names, uint64_t code_hash) const;

 private:
  std::vector<ContextSite> sites_;  // ascending method and bci
  std::set<std::string> classes_;
};

}  // namespace iprof::instrument
