// FlatProfile: where the samples are, without stacks: by method, by position (method and bci), by
// source line, or by package.
//
// Guarantees: "self" is the weight of the samples whose innermost frame it is. "total" is the
// weight of the samples that have it anywhere on the stack; each sample counts once, also with
// recursion. So the sum of self is the profile's total in every list that is not filtered. A filter leaves
// out rows of other classes; figures and the total stay those of the whole profile. Order is by self, then total,
// largest first, then by name. Sums saturate.
// Threads: any; a pure function. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "writer/ops/profile_filter.h"
#include "writer/profile/model.h"

namespace iprof {

enum class FlatKey { kMethod, kPosition, kLine, kPackage };

struct FlatRow {
  // DescribeMethod's text; with ":bci" for positions; for lines with ":line", or without if the
  // line is unknown; "(default)" for no package.
  std::string name;
  // What the row is: a method, for positions and lines with its bci or line.
  MethodIndex method = kNoMethod;
  std::optional<Bci> bci = {};
  std::optional<int32_t> line = {};
  int64_t self = 0;
  int64_t total = 0;
};

struct FlatProfile {
  int64_t total = 0;
  bool has_lines = false;  // for kLine: the profile has source lines
  std::vector<FlatRow> rows;
};

FlatProfile ComputeFlatProfile(const Profile& profile, FlatKey key,
                               const ProfileFilter& filter = {});

}  // namespace iprof
