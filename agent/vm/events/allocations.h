// Allocations: samples the objects that the program allocates (alloc=SIZE), and asks which of them are alive.
//
// The JVM draws the distances between samples at random, so that an object is sampled with the probability
// 1 - e^(-size/interval). It stands for the inverse of that many objects.
//
// Example: with alloc=512k, an array of 1 MB is sampled with the probability 0.865 and stands for 1.16 arrays, an object of 32
// bytes with 0.00006 and for 16,384.5 objects, which have 512 kB.
//
// JVMTI gives these events to one environment at a time, and the mean distance is one for the whole JVM. Both are taken when the
// recording begins and given back when it is paused. If another tool has them, the recording does not begin.
//
// Guarantees: the program waits for no other thread; a callback takes 10 to 20 us of CPU time, most of it in the JVM's
// GetStackTrace, and its memory is limited. What finds no room is counted as dropped.
// Threads: as Recorder. Failure: Prepare returns a Status; later problems are logged.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "agent/settings/log.h"
#include "agent/vm/events/event_stacks.h"
#include "agent/vm/events/live_objects.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/recorder/recorder.h"
#include "writer/base/hash_index.h"
#include "writer/base/status.h"

namespace iprof::vm {

class Allocations final : public Recorder, private EventStacks::Source {
 public:
  // How many weak references may exist, and how many pauses of the collector are one collection.
  struct Liveness {
    size_t most_objects = 0;
    uint32_t pauses = 1;
  };

  // Everything must outlive this object. `stacks` calls it while it writes.
  Allocations(JavaVM* vm, Log& log, EventStacks& stacks, int64_t interval_bytes, Liveness liveness);
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  Status Prepare(StartMoment moment) override;
  void OnVmInit(JNIEnv* jni) override;
  Status Begin(JNIEnv* jni) override;
  void CallOff() override;
  std::string Pause(JNIEnv* jni) override;
  Status Reset(JNIEnv* jni, ResetScope scope) override;
  void End() override;
  void EndThreads(std::chrono::milliseconds patience) override;
  bool Close() override;

  Status Write(JNIEnv* jni, RecordSink& sink, const IsOver& is_over) override;
  void Describe(const ProfileSink& made, RecorderTexts& texts) override;
  void AddLosses(RunNote& note) const override;
  uint64_t AddTo(control::SessionStatus& status, bool is_stopped) const override;
  uint64_t bytes_beyond_budget() const override;

 private:
  struct Key {
    uint32_t stack;
    uint32_t type;
    uint32_t thread;
    bool operator==(const Key&) const = default;
  };
  struct Row {
    Key key;
    double bytes = 0;
    double objects = 0;
    uint64_t samples = 0;
  };

  Status Take();
  void GiveBack();
  void StartThread(JNIEnv* jni);
  void OnSample(JNIEnv* jni, jthread thread, jobject object, jclass type, jlong size);
  void Note(JNIEnv* jni, jthread thread, jobject object, jclass type, jlong size);
  // The number of the row, or EventStacks::kNone: no room.
  uint32_t AddToRow(const Key& key, double bytes, double objects);

  void AddTo(JNIEnv* jni, EventRows& rows) override;
  size_t row_bytes() const override { return row_bytes_.load() + live_.bytes(); }

  static void JNICALL SampledObjectAlloc(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread,
                                         jobject object, jclass type, jlong size);
  static void JNICALL GarbageCollectionFinish(jvmtiEnv* jvmti);

  JavaVM* const vm_;
  Log& log_;
  EventStacks& stacks_;
  const int64_t interval_bytes_;
  LiveObjects live_;
  std::atomic<bool> has_taken_{false};  // the JVM's events and its distance
  std::atomic<bool> takes_samples_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<uint64_t> samples_{0};
  std::atomic<uint64_t> dropped_{0};
  std::atomic<uint64_t> cpu_ns_{0};
  std::atomic<size_t> row_bytes_{0};
  std::mutex mutex_;  // guards the rest; held for no call of anything else
  std::vector<Row> rows_;
  HashIndex row_index_;
  AgentThread thread_;
  // Last, so that it is closed before the members that its callbacks use are destroyed.
  JvmtiEnvironment environment_;
};

}  // namespace iprof::vm
