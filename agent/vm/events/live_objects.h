// LiveObjects: which of the sampled objects are still alive, and what they stand for.
//
// It has a weak reference to each of them, and asks for all after a collection. If there are too many, it keeps half of them,
// chosen at random, and each of these stands for twice as much; of further ones, it takes only every second, and so on. So what
// it says stays right on average, and only gets less precise.
//
// Example: 2,000 objects of the row 5 were sampled, each for 512 kB. The last collection freed 1,500 of them. Then row 5 has
// 500 samples and 256 MB that are alive. An object that was allocated after that collection is not among them: nothing is known
// of it.
//
// Guarantees: at most `most` references, and as many that wait to be deleted. None of them keeps an object alive. No lock is
// held while the JVM is called. NoteCollection only counts, so the JVM can call it during a collection.
// Threads: Add on any attached thread, without a pending exception; NoteCollection on any thread, in any phase; Sweep on any
// attached thread of the agent, one at a time or it does nothing; the rest on any thread.
// Failure: an object that finds no room because the agent's thread does not delete references is counted in untracked();
// std::bad_alloc.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace iprof::vm {

class LiveObjects {
 public:
  // `pauses`: how many pauses of the collector an object must have seen before it counts as a survivor. A collector that works
  // while the program runs pauses several times in one collection.
  LiveObjects(size_t most, uint32_t pauses) : most_(most), pauses_(pauses) {}
  LiveObjects(const LiveObjects&) = delete;
  LiveObjects& operator=(const LiveObjects&) = delete;

  struct Share {
    double bytes = 0;
    double objects = 0;
    uint64_t samples = 0;
  };

  // The object belongs to this row, and stands for so much. Returns true if a Sweep should come soon.
  bool Add(JNIEnv* jni, jobject object, uint32_t row, double bytes, double objects);
  void NoteCollection() noexcept { collections_.fetch_add(1, std::memory_order_relaxed); }
  // Whether there was a collection since the last Sweep, or something else to do.
  bool NeedsSweep() const;
  void Sweep(JNIEnv* jni);
  // What survived the last collection that a Sweep knows of, by row.
  std::vector<Share> ByRow(size_t rows) const;
  // When the last Sweep was that knew of a collection; ms since 1970. 0: none yet.
  int64_t swept_ms() const { return swept_ms_.load(); }
  // Forgets all objects. The next Sweep deletes their references.
  void Forget();

  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  uint64_t untracked() const { return untracked_.load(std::memory_order_relaxed); }

 private:
  struct Tracked {
    jweak object;
    uint32_t row;
    uint32_t collections;  // before it was allocated
    float bytes;
    float objects;
  };

  // With the mutex held.
  bool Admits();
  bool Thin();
  bool Toss();
  void ReportBytes();

  const size_t most_;
  const uint32_t pauses_;
  std::atomic<uint32_t> collections_{0};
  std::atomic<int64_t> swept_ms_{0};
  std::atomic<size_t> bytes_{0};
  std::atomic<uint64_t> untracked_{0};
  std::mutex sweep_mutex_;    // held by a Sweep
  mutable std::mutex mutex_;  // guards the rest; held for no call of the JVM
  std::vector<Tracked> tracked_;
  std::vector<jweak>
      doomed_;  // a Sweep deletes them, so that none deletes what another one asks for
  uint32_t swept_collections_ = 0;
  uint32_t scale_ = 1;  // of the objects that come, one in so many is taken
  uint64_t random_ = 0x9e3779b97f4a7c15u;
};

}  // namespace iprof::vm
