// BenchmarkHarness: JMH's own black holes, and the classes with the loops that it generates around a
// benchmark.
//
// Their code is written so that compilers treat it in one certain way, and a counter in the measuring loop
// would be measured too. No image contains them.
//
// Guarantees: these are never instrumented, and their counts are never written to a profile. The
// benchmark's own classes are not among them.
// Threads: any; a pure function. Failure: none.
#pragma once

#include <string_view>

#include "writer/names/typed_names.h"

namespace iprof {

inline bool IsBenchmarkHarness(InternalName name) {
  const std::string_view text = name.text();
  // Blackhole and its superclasses BlackholeL0 to BlackholeL4.
  if (text.starts_with("org/openjdk/jmh/infra/Blackhole")) return true;
  // Classes that JMH's generator writes: PACKAGE/jmh_generated/CLASS_METHOD_jmhTest, …_jmhType_B1.
  constexpr std::string_view kGenerated = "jmh_generated/";
  const size_t at = text.find(kGenerated);
  return at == 0 || (at != std::string_view::npos && text[at - 1] == '/');
}

}  // namespace iprof
