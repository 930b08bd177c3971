// RunId: which run something is of. A run is a recording from its beginning, or from a reset, until the next reset or
// its end. All files of a run have its identity: profiles and raw files.
//
//   RunId::Make().Text()   "5b1c09f7d2a84e6689c3d1e0f4a7b265"
//
// Guarantees: two runs have different identities, also on different machines: 128 random bits. They say nothing about
// the machine, the time or the program. Making one never waits.
// Threads: any. Failure: if the system gives no random bits, or the text is not an identity, the identity is "not known".
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "writer/base/system_calls.h"

namespace iprof {

struct RunId {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const RunId&) const = default;

  static RunId Make(SystemCalls& calls = SystemCalls::Real());
  // What Text returned.
  static RunId Parse(std::string_view text);

  bool is_known() const { return high != 0 || low != 0; }
  // 32 hexadecimal digits; empty if it is not known.
  std::string Text() const;
};

}  // namespace iprof
