// CompareDispatches: at which virtual calls an image build would dispatch to other methods with one profile than with another,
// and what decides there: samples or receivers.
//
// It models the build's rule: where a context is hot (5 % of the samples), the methods that were sampled under the call, however
// few; elsewhere, and where none was sampled, at most three classes with a tenth of the site's counts or more
// (image/sampled_calls.h, image/site_receivers.h).
// Example: A has no samples and 95 % of class Quick at a call, so its build dispatches to Quick.run. B has one sample of
// Slow.run there, in a hot context. Then the call is in `differing`: by receivers in A, by samples in B.
//
// Guarantees: the profiles are taken as they are in their files, with samples in pieces. A is the truth: calls are those that
// have receivers there, and ran at least kFewestCalls times. Contexts have up to kLongestChain frames. Each call is listed once, with its shortest context that differs; most calls first. If samples decide
// on one side and classes on the other, they are equal only where that is certain (SiteReceivers::Agrees).
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

enum class DispatchReason : uint8_t { kNothing, kReceivers, kSamples };

struct Dispatch {
  DispatchReason by = DispatchReason::kNothing;
  std::vector<std::string> targets;  // methods if samples decide, otherwise classes; sorted
  bool operator==(const Dispatch&) const = default;
};

struct DispatchDifference {
  MethodIndex method = kNoMethod;  // in A
  std::string context;             // as DescribeContext: the call, then callers
  int64_t calls = 0;               // in A
  Dispatch a;
  Dispatch b;
};

struct DispatchComparison {
  size_t sites = 0;         // with receivers in A, that matter
  size_t by_samples_a = 0;  // of them, those at which samples decide in some context
  size_t by_samples_b = 0;
  bool exact = true;  // A's receivers were counted, and not estimated
  std::vector<DispatchDifference> differing;
};

DispatchComparison CompareDispatches(const Profile& a, const Profile& b);

std::string_view NameOf(DispatchReason reason);  // "samples"

}  // namespace iprof
