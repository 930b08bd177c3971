// CounterChunks: the arrays inside the JVM that probes increment, one holder class a chunk.
//
// Guarantees:
//  - A chunk is announced to the CounterSpace only when its holder is defined; after start-up, only
//  when its static
//    initialiser has run as well. So no probe runs the initialiser of a fresh chunk, where a
//    StackOverflowError or OutOfMemoryError would poison the holder for every user of it. (During
//    start-up there is one thread with an almost empty stack.)
//  - Failure to make a chunk (heap full) is remembered and retried later; classes are left
//  untouched meanwhile.
//  - No lock is held across a JNI call.
// Threads: DefineEarly from VMStart; the rest from a live thread that may run Java code (VMInit,
// the agent's own thread). Read also from VMDeath. The caller must have no exception pending; none
// is left pending.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "agent/instrument/counter_space.h"
#include "writer/status.h"

namespace iprof::vm {

class CounterChunks {
 public:
  CounterChunks(instrument::CounterSpace& space, uint32_t stripes)
      : space_(space), stripes_(stripes) {}

  uint32_t stripes() const { return stripes_; }

  // Defines the runtime class and the first `chunks` holders, running no Java code.
  Status DefineEarly(JNIEnv* jni, uint32_t chunks);

  // Initialises what DefineEarly defined and turns striping on.
  Status InitialiseDefined(JNIEnv* jni);

  // Defines and initialises holders until the space has what it wants. Fails when the JVM has no
  // memory for one.
  Status DefineAhead(JNIEnv* jni);

  // Sums of all counters by CounterIndex, over stripes; only chunks that are initialised.
  std::vector<uint64_t> Read(JNIEnv* jni) const;

  // Times that a holder could not be made.
  uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

 private:
  Status DefineHolder(JNIEnv* jni, uint32_t chunk);
  Status HandOver(JNIEnv* jni);
  Status InitialiseHolder(JNIEnv* jni, jclass holder);

  instrument::CounterSpace& space_;
  const uint32_t stripes_;
  jclass runtime_ = nullptr;     // global reference
  std::vector<jclass> holders_;  // global references; only the defining thread appends
  mutable std::mutex mutex_;     // guards rows_
  std::vector<std::vector<jlongArray>> rows_;  // global references, [chunk][stripe]
  std::atomic<uint64_t> failures_{0};
};

}  // namespace iprof::vm
