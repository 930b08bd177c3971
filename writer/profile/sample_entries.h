// SampleEntries: gathers the samples of a profile, and adds them with scaled weights.
//
// Example: a.B.run:4 with weight 7, the same again with weight 2, and a.B.stop:0 with weight 1, at a scale of 1/4. The
// profile gets a.B.run:4 with 2, and no a.B.stop:0; at a scale of 1, it gets 9 and 1.
//
// Guarantees: the sum is scaled exactly, up to rounding (WeightScale). The result depends on the stacks and their
// weights, not on their order: a profile of a raw file is that of the session. No entry has a count of 0. The sum of a stack in
// all threads and periods (sample_threads.h) is what it would be without them.
// Threads: one per object. Failure: none but std::bad_alloc; sums saturate.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "writer/base/weight_scale.h"
#include "writer/profile/model.h"

namespace iprof {

class SampleEntries {
 public:
  // The context is one of the profile.
  void Add(ContextIndex context, uint64_t weight);
  // Entries are in the order in which their contexts were added first.
  void WriteTo(Profile& profile, WeightScale scale) const;

 private:
  struct Entry {
    ContextIndex context;
    uint64_t weight;
  };

  std::vector<Entry> entries_;
  std::unordered_map<uint32_t, size_t> places_;  // by context
};

}  // namespace iprof
