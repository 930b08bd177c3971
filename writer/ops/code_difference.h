// CodeDifference: how many methods of two profiles have different code, by the hashes in the profiles
// (Profile::CodeHash).
//
// Why: positions of such a method cannot be compared.
//
// Guarantees: symmetric but for the order of the arguments. Methods without a hash in both profiles
// do not count.
// Threads: any; a pure function. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>

#include "writer/profile/model.h"

namespace iprof {

struct CodeDifference {
  size_t compared = 0;  // methods with a hash in both
  size_t differing = 0;

  // "the code of 3 of 120 methods differs"; empty if none differs.
  std::string Describe() const;
};

CodeDifference CompareCode(const Profile& a, const Profile& b);

}  // namespace iprof
