// HotSet: which methods an image build compiles well. It ranks methods by calls plus branch executions, and the heaviest
// ones that make up 99.9 % of the sum are the hot set. It optimises all others for size, so the hot set decides how large
// the image is.
//
// Guarantees: methods with equal weights are hot or not together, so that the order of records makes no difference. A
// method without weight is never hot. Bytes are those of the methods whose code's length is known (code_length.h).
// Threads: any; pure functions. Failure: none but std::bad_alloc.
//
// Example: methods weigh 9,000, 980, 15 and 5. The first three make up 9,995 of 10,000, and the first two only 9,980: the
// hot set is the first three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "writer/profile/model.h"

namespace iprof {

inline constexpr double kHotShare = 0.999;

using MethodWeights = std::map<uint32_t, double>;  // by the number of the method

// Calls plus branch executions of each method.
MethodWeights WeightsOfMethods(const Profile& profile);

// The heaviest methods that make up kHotShare of the weight, and all that weigh as much as the last of them.
std::set<uint32_t> HottestByWeight(const MethodWeights& weights);

struct HotSet {
  size_t methods = 0;
  size_t all_methods = 0;  // that have a weight
  uint64_t code_bytes = 0;
  uint64_t all_code_bytes = 0;
  size_t unknown_lengths = 0;  // of all methods
  bool operator==(const HotSet&) const = default;

  double CodeShare() const {
    return all_code_bytes == 0
               ? 0
               : static_cast<double>(code_bytes) / static_cast<double>(all_code_bytes);
  }
};

HotSet HotSetOf(const Profile& profile);

}  // namespace iprof
