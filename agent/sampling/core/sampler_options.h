// SamplerOptions: what to sample, and within which limits.
//
// Guarantees: plain data; the limits below are enforced where options are parsed. Threads: any.
// Failure: none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace iprof::sampling {

// What a sample's weight counts: intervals of CPU or of wall time. Not a JVMTI event.
enum class SampleEvent : uint8_t { kCpu, kWall };

struct SamplerOptions {
  int64_t interval_ns = 10000000;  // the first one, if the interval adapts
  bool adapts = false;             // see SamplePace; only with kCpu
  SampleEvent event = SampleEvent::kCpu;
  int32_t depth = 2048;
  size_t memory_bytes = size_t{64} << 20;
  int signal = 0;  // 0: choose one; see TakeSignal
};

inline constexpr int64_t kMinIntervalNs = 100000;
inline constexpr int64_t kFirstIntervalNs = 1000000;  // of one that adapts
inline constexpr int32_t kMaxDepth = 65536;

}  // namespace iprof::sampling
