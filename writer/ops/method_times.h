// MethodTimes: how much time each method took, by itself and with its callees, and for how many calls: what HPROF's cpu=times measured
// at each entry and exit. Here the times are an estimate from samples, and the calls are those that were counted.
//
// Example: samples of 10 ms each. a.B.get is innermost in 100 of them, and was called 2,000,000 times. It took 1,000 ms, which is
// 0.0005 ms for each call, and right within 3/√100 = 30 % of it in 997 of 1,000 cases.
//
// Guarantees: the sum of self times is the profile's time. A total counts each sample once, also with recursion, so the time for each
// call of a recursive method is that of all its calls by the number of all its calls. A filter leaves out rows, as in FlatProfile.
// Order is that of FlatProfile. Sums saturate.
// Threads: any; a pure function. Failure: nullopt if the profile does not say for which time a sample stands; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "writer/ops/profile_filter.h"
#include "writer/profile/model.h"

namespace iprof {

struct EstimatedTime {
  int64_t ns = 0;
  double samples = 0;  // signals that it is from
  // ErrorOfSamples, 0.3 for 100 samples; nullopt if there are none.
  std::optional<double> error() const;
};

struct MethodTime {
  MethodIndex method = kNoMethod;
  std::string name;  // DescribeMethod's text
  EstimatedTime self;
  EstimatedTime total;
  std::optional<int64_t> calls;   // nullopt: they were not counted
  bool are_calls_counted = true;  // otherwise they are an estimate, too
  // Of the total; nullopt without calls.
  std::optional<double> NsPerCall() const;
};

struct MethodTimes {
  std::string event;  // "cpu", "wall"
  int64_t interval_ns = 0;
  EstimatedTime all;
  bool has_calls = false;
  std::vector<MethodTime> rows;
};

// Of the profile's samples, which may be those of some threads: `signals` gave `weight`, of all threads.
struct SignalRatio {
  int64_t signals = 0;
  int64_t weight = 0;
  static SignalRatio Of(const Profile& profile);
};
std::optional<MethodTimes> ComputeMethodTimes(const Profile& profile, SignalRatio ratio,
                                              const ProfileFilter& filter = {});

}  // namespace iprof
