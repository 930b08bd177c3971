// CounterChunks: the arrays inside the JVM that probes increment.
//
// A holder (runtime/java/lang/IprofCounters0.java) has one array of counters; with stripes, it has
// one array per stripe (IprofStriped0.java).
//
// Guarantees, threads and failure: as ChunkHolders. Read may run on any attached thread, including
// at VMDeath, while other threads count.
#pragma once

#include <jni.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "agent/vm/cells/chunk_holders.h"
#include "agent/vm/cells/chunk_reach.h"

namespace iprof::vm {

class CounterChunks final : public ChunkHolders {
 public:
  CounterChunks(instrument::CounterSpace& space, uint32_t stripes, ChunkReach& reach)
      : ChunkHolders(space), stripes_(stripes), reach_(reach) {}

  uint32_t stripes() const { return stripes_; }
  std::string HolderName(uint32_t chunk) const override;

  // From now on, threads are spread over the stripes. Call it once, when the VM is initialised.
  Status StartStriping(JNIEnv* jni);

  // The sums of all counters over stripes, by CounterIndex; only chunks that are initialised. The
  // counters of a method are read within microseconds: otherwise one that was read later than another
  // would make the counts that are derived from both wrong.
  void Read(JNIEnv* jni, std::vector<uint64_t>* sums) const;

  // Appends the sums of counters that no code uses any more, and sets them to zero.
  void Take(JNIEnv* jni, CounterRange range, std::vector<uint64_t>* values);

 private:
  std::string_view RuntimeName() const override;
  std::vector<uint8_t> RuntimeBytes() const override;
  std::vector<uint8_t> HolderBytes(uint32_t chunk) const override;
  Status HandOver(JNIEnv* jni) override;
  Status Adopt(JNIEnv* jni, jclass holder) override;

  const uint32_t stripes_;
  ChunkReach& reach_;
  mutable std::mutex mutex_;                   // guards rows_
  std::vector<std::vector<jlongArray>> rows_;  // global references, [chunk][stripe]
};

}  // namespace iprof::vm
