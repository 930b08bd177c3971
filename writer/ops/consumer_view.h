// ConsumerView: what GraalVM's image builder would take from a profile for one place in one calling
// context.
//
// Guarantees (the rules are the consumer's own, see docs of the format):
//  - A method's call count is the sum over all contexts that begin with it: entries are disjoint.
//  - A place (method, bci, caller chain) is looked up by contexts, most specific first. The entries
//    whose chain is the asked one or continues it are, together, all that is known of the
//    executions in that chain: they are added up. Where there is none, the chain is cut from its
//    outer end, frame by frame, and the first entry with exactly the shorter chain answers: it
//    holds the executions not counted under a longer one. Matched says how many of the callers the
//    answer rests on. Entries of other chains never answer.
//  - Branch: entries are added up as branch_outcomes.h has it. Of the sum, counts are added up per
//    index; a successor is known by its bci alone; bci -5 only adds
//    to its index; where one bci has several indices the last one wins. Probability zero becomes
//    1e-6, the others give way. A site whose counts are all zero is ignored. Shapes that the
//    consumer does not survive (index < 0 or beyond kMaxSuccessorIndex) make the site not found.
//  - Receivers: the listed types are taken for (nearly) all there are: their shares are scaled to
//    1. A site with sum 0 is ignored.
// The profile must outlive the view and not change. Const methods may run in parallel. Never fails.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "writer/model/branch_outcomes.h"
#include "writer/model/model.h"

namespace iprof {

// The consumer allocates an array of this many counters for one site: more is no switch of any
// class file.
inline constexpr int64_t kMaxSuccessorIndex = 65535;
inline constexpr double kConsumerZeroProbability = 1e-6;

// How an answer was found.
struct Match {
  bool found = false;
  bool exact = false;          // in the asked chain itself or continuations of it
  size_t callers_matched = 0;  // how many of the asked callers the answer rests on
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

// What the consumer makes of one site's triples, bci -5 folded in; empty where it ignores them.
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
