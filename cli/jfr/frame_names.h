// FrameNames: what a profile calls the methods and classes that a recording names, and which of them it leaves out.
//
// Example: a stack is LambdaForm$MH/0x….invoke, a/B$$Lambda/0x00007f….run, a/B.main. The first is linkage. The second is a
// method of a hidden class, which has HotSpot's number of this run as its name: an image build finds a lambda by what its class
// does (stable_names.h), and a recording does not say that. The profile has the third alone.
//
// Guarantees: pure. Names are those of Class.getName(), in UTF-8, as the agent's sampler has them; methods whose names are longer
// than a profile may have them, or whose descriptor is malformed, are kUnnamed.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/jfr/constants.h"

namespace iprof::jfr {

enum class FrameKind : uint8_t {
  kOrdinary,
  kProbe,         // of an agent of ours: left out with all that it calls
  kLinkage,       // of method handles: left out, but not what it calls
  kContinuation,  // below it are the frames of a virtual thread's carrier
  kUnstable,      // of a lambda, a proxy or another class that the JVM made
  kUnnamed,
};

// "a/B$$Lambda+0x00007f…/123" of JDK 17 is "a.B$$Lambda/0x00007f…"; "[La/B;" is "[La.B;". Empty if it is no name.
std::string ProfileTypeName(std::string_view recorded);

// Of an object's class: a hidden one is called without its number.
std::string EventTypeName(std::string_view recorded);

// Makes names of the profile of those of the recording.
FrameKind NameMethod(MethodFacts& method);

}  // namespace iprof::jfr
