// FlatProfile: where samples lie, without the stacks: by method, by position (method and bci), by
// source line, by package.
//
// Guarantees: "self" is the weight of samples whose innermost frame it is, "total" that of samples
// on whose stack it is at all, counted once for each sample however often it recurs. So self sums
// to the profile's total in every list. Order is by self, then total, largest first, then by name.
// Pure; never fails. Sums saturate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/model/model.h"

namespace iprof {

enum class FlatKey { kMethod, kPosition, kLine, kPackage };

struct FlatRow {
  // DescribeMethod's text; with ":bci" for positions; with ":line", or nothing where no line is known,
  // for lines; "(default)" for no package.
  std::string name;
  int64_t self = 0;
  int64_t total = 0;
};

struct FlatProfile {
  int64_t total = 0;
  bool has_lines = false;  // of kLine: the profile knows source lines (see SourceLines)
  std::vector<FlatRow> rows;
};

FlatProfile ComputeFlatProfile(const Profile& profile, FlatKey key);

}  // namespace iprof
