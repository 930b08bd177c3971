// LiveFrameCount: how many activations of a method had not ended when the counters were read, by
// its key "java/lang/Object.wait(J)V". Each may make a derived count wrong by one.
//
// Called by AssembleProfile on its thread. 0 means none, or unknown.
//
// Guarantees: the same key gives the same number during one assembly.
// Threads: that of the assembly. Failure: an unknown number is 0.
#pragma once

#include <cstdint>
#include <functional>

#include "writer/names/typed_names.h"

namespace iprof {

using LiveFrameCount = std::function<uint64_t(const MethodKey&)>;

}  // namespace iprof
