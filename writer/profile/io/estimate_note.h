// EstimateNote: says of a profile which of its numbers are estimated, because their methods were
// without probes for a while (count-until=, overhead=), or because compilers replaced calls of them (intrinsics). It is a part of the profile's section
// "iprofagent" (agent_section.h):
//   "estimates": {"calls":{"a.B.run(int)void":312345, …}}
// The number is the part of the method's calls that is estimated; the rest of them was counted. Its
// branches, receivers and monitors are estimated in the same share. Methods that are not named, and
// those with 0, were counted to the end. In a part of a profile there may be no other ones.
//
// Guarantees: Parse reads what ToJson returns, also with additional members. Anything else is no
// note. Uniting adds up, which is commutative and associative.
// Threads: any; pure functions. Failure: what is not a note is nullopt; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "writer/profile/model.h"

namespace iprof {

struct EstimateNote {
  std::map<std::string, int64_t, std::less<>> calls;  // by method, as Profile::DescribeMethod
  bool operator==(const EstimateNote&) const = default;

  std::string ToJson() const;
  static std::optional<EstimateNote> Parse(std::string_view json);
  void Unite(const EstimateNote& other);
  // By the weight of the profile in a merge, at least 0.
  void Multiply(int64_t weight);
  // How many methods have estimated calls.
  size_t methods() const;
  // The part of `all` calls that is estimated, at most 1.
  double ShareOf(int64_t all) const;
  // For people; `all` is the number of all calls in the profile. Empty: no method has estimated calls.
  std::string Describe(int64_t all) const;
};

// Leaves methods that have no calls in the profile out of its note, so that shares are those of what is there. The
// profile is a part of `whole`. If that has no calls at all, the methods stay that the part declares. The note stays
// even without methods: it says why numbers of the runs are not exact (RunExactness).
void TrimEstimates(Profile& profile, const Profile& whole);

}  // namespace iprof
