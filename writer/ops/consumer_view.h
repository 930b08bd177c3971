// ConsumerView: what GraalVM's image builder reads from a profile for one place in one
// calling context.
//
// Guarantees (these are the consumer's rules; see the docs of the format):
//  - A method's call count is the sum over all contexts that begin with it, because each call is
//    counted in one entry only.
//  - A query is a place (method and bci) with its chain of callers. First, the entries of that
//    place whose chain is the query's chain, or continues it outwards, are added up: these are all
//    known executions in that chain. If there are none, the outermost caller is dropped, one after
//    another, until an entry has exactly the remaining chain. That entry has the executions that no
//    entry with a longer chain counts. Match says how many callers remained. Entries of other
//    chains are never used.
//  - Branch: entries are added up as in branch_outcomes.h. In the sum, counts are added up per
//    index. A successor is identified by its bci alone; bci -5 only adds to its index; if one bci
//    has several indices, the last one wins. Probability zero becomes 1e-6, and the others are
//    scaled down. A site whose counts are all zero is ignored. Lists that would crash the consumer
//    (index < 0 or beyond kMaxSuccessorIndex) count as not found.
//  - Receivers: the listed types are taken for (nearly) all types: their shares are scaled to 1. A
//    site with sum 0 is ignored.
// The profile must outlive the view and not change.
// Threads: const methods may run in parallel. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "writer/profile/branch_outcomes.h"
#include "writer/profile/model.h"

namespace iprof {

// The consumer allocates an array of as many counters for one site; no switch in a class file
// has more.
inline constexpr int64_t kMaxSuccessorIndex = 65535;
inline constexpr double kConsumerZeroProbability = 1e-6;

// How an answer was found.
struct Match {
  bool found = false;
  bool exact = false;          // in the query's chain itself or continuations of it
  size_t callers_matched = 0;  // how many of the query's callers the answer is based on
  size_t entries = 0;          // how many entries were added up
};

struct BranchView {
  Match match;
  int64_t total = 0;
  struct Outcome {
    int64_t bci;
    double probability;
    int64_t count;  // of its index
  };
  std::vector<Outcome> outcomes;  // by bci
};

struct ReceiverView {
  Match match;
  int64_t total = 0;
  struct Receiver {
    TypeIndex type;
    double probability;
    int64_t count;
  };
  std::vector<Receiver> receivers;  // by count, largest first; equal ones by name
};

struct CallView {
  Match match;
  int64_t count = 0;
};

// What the consumer makes of one site's triples, with bci -5 added in; empty if it ignores them.
std::vector<BranchView::Outcome> ConsumerOutcomes(std::span<const Successor> successors);

class ConsumerView {
 public:
  explicit ConsumerView(const Profile& profile);

  // How often the method's body ran, wherever it was inlined.
  CallView Calls(MethodIndex method) const;
  // How often it ran under these callers (innermost first).
  CallView Calls(MethodIndex method, std::span<const Frame> callers) const;
  BranchView Branch(MethodIndex method, Bci bci, std::span<const Frame> callers = {}) const;
  // table: kVirtualInvokes or kInstanceOfs.
  ReceiverView Receivers(Table table, MethodIndex method, Bci bci,
                         std::span<const Frame> callers = {}) const;

 private:
  struct Site {
    MethodIndex method;
    Bci bci;
    auto operator<=>(const Site&) const = default;
  };
  using Sites = std::map<Site, std::vector<EntryIndex>>;

  Match Find(Table table, Site site, std::span<const Frame> callers,
             std::vector<EntryIndex>& entries) const;

  const Profile& profile_;
  Sites sites_[kTableCount];
};

}  // namespace iprof
