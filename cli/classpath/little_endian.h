// Loads of little-endian numbers, as zip archives have them, and JDK images on the processors that
// we run on.
//
// Guarantees: unaligned access is fine. The loads do not check bounds; callers do.
// Threads: any; pure functions. Failure: none.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace iprof::classpath {

static_assert(std::endian::native == std::endian::little, "loads do not swap bytes");

template <typename T>
T Load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace iprof::classpath
