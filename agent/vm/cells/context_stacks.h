// ContextStacks: takes the stacks of chosen calls and branches inside the JVM (contexts=all).
//
// Their probes call the class IprofContexts (runtime/java/lang), which counts down a distance for each site and then calls Take,
// a native method. That asks the JVM for the stack of the current thread, at some 10 us, keeps it with what the
// instruction is about to do, and draws the next distance (StackReservoir).
//
// Example: in List.forEach a call is chosen, site 12. Every 500th time or so, Take is called with the receiver. Samples() says
// later that of 512 stacks 300 had a receiver of the class Print and the caller Report.write:12.
//
// Guarantees:
// - Takes about as much of the process's CPU time as StackBudget allows.
// - A thread of the program waits for nothing: if another thread takes a stack, this one goes on without.
// - Runs no Java code. Names are learnt while their frames are on the stack, so their classes are loaded.
// - A stack ends where a caller has no name, and at a virtual thread's end; linkage is left out (stack_translation.h).
// Threads: Define and Arm as ChunkStore::DefineEarly and FinishStart; Take on any thread of the program; Samples on any attached
// thread; the rest on the thread that starts or stops a recording.
// Failure: Define and Arm return a Status; a stack that the JVM does not give is left out.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/instrument/probes/watched_sites.h"
#include "agent/settings/log.h"
#include "agent/vm/cells/stack_reservoir.h"
#include "agent/vm/classes/names/frame_methods.h"
#include "writer/base/status.h"
#include "writer/records/context_samples.h"

namespace iprof::vm {

class ContextStacks {
 public:
  // `chosen` must outlive this object.
  ContextStacks(const instrument::ContextSites& chosen, TypeNaming naming, uint64_t most_bytes,
                Log& log);
  ContextStacks(const ContextStacks&) = delete;
  ContextStacks& operator=(const ContextStacks&) = delete;

  instrument::WatchedSites& watched() { return watched_; }

  // Defines the class. Runs no Java code.
  Status Define(JNIEnv* jni);
  // Makes its distances ready. Stacks are taken from Open on.
  Status Arm(jvmtiEnv* jvmti, JNIEnv* jni);
  void Open(JNIEnv* jni);
  void Close(JNIEnv* jni);
  // Now and then on the agent's thread: does what Open could not do. The JVM finds the native method of an attached agent only
  // after its attach.
  void Work(JNIEnv* jni);
  void Reset(std::chrono::milliseconds patience);
  // After Close: false if a thread is still in Take, so that the object must stay.
  static bool IsQuiet();

  // What the native method does.
  struct Operands {
    jobject object;
    jobject other;
    jint first;
    jint second;
  };
  static void Take(JNIEnv* jni, jint site, const Operands& operands);

  // A position in running code, and that in the class file, if it is known.
  struct Position {
    std::string_view class_descriptor;
    std::string_view name;
    std::string_view descriptor;
    RunningPlace running;
    std::optional<int32_t> original = std::nullopt;
  };
  using ToClassFile = std::function<void(std::span<Position>)>;
  // What was taken so far; nullopt if a thread that takes a stack was suspended in the middle of it.
  std::optional<ContextSamples> Samples(const ToClassFile& to_class_file,
                                        std::chrono::milliseconds patience);
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // For verbose=2.
  std::string Report();

 private:
  struct Method {
    FrameKind kind;
    std::string class_descriptor;
    ContextSamples::Method names;
  };
  // An id is valid as long as its class is loaded. Later the JVM may use it for another method.
  struct KnownId {
    jweak klass;
    uint32_t method;
  };
  struct Frames {
    std::array<jvmtiFrameInfo, 16> frames;
    jint count = 0;
  };
  // What stacks are made of.
  struct Seen {
    std::vector<Method> methods;
    std::vector<std::string> types;
    std::vector<uint32_t> own;  // by site: the number of its method, or kUnknown
  };
  static constexpr uint32_t kUnknown = UINT32_MAX;

  bool Link(JNIEnv* jni);
  void TakeAt(JNIEnv* jni, uint32_t site, const Operands& operands);
  bool TakeStack(JNIEnv* jni, uint32_t site, const Operands& operands, TakenStack& stack);
  std::optional<uint32_t> OutcomeOf(JNIEnv* jni, uint32_t site, const Operands& operands);
  bool ReadFrames(JNIEnv* jni, Frames& frames) const;
  // Returns false if the site's own method has no name.
  bool Resolve(JNIEnv* jni, uint32_t site, const Frames& frames, TakenStack& stack);
  uint32_t MethodOf(JNIEnv* jni, jmethodID id);
  RunningPlace PlaceOf(uint32_t method, const jvmtiFrameInfo& frame) const;
  void SetDistance(JNIEnv* jni, uint32_t site);

  instrument::WatchedSites watched_;
  const TypeNaming naming_;
  Log& log_;
  jvmtiEnv* jvmti_ = nullptr;
  jclass owner_ = nullptr;  // global references
  jintArray left_ = nullptr;
  jfieldID armed_ = nullptr;
  bool is_linked_ = false;
  std::atomic<bool> wants_open_{false};
  // Held by the one thread that uses what follows. No thread of the program waits for it.
  std::atomic<bool> busy_{false};
  StackReservoir stacks_;
  Seen seen_;
  std::unordered_map<jmethodID, KnownId> ids_;
  std::unordered_map<std::string, uint32_t> methods_;
  std::unordered_map<std::string, uint32_t> types_;
  StackBudget budget_;
  size_t affordable_ = 0;  // as of the last kAskEvery stacks
  enum Loss : uint8_t { kBusy, kNoOutcome, kNoFrames, kNoMethod, kLosses };
  std::array<std::atomic<uint64_t>, kLosses> lost_{};
  std::atomic<uint64_t> cut_{0};  // of the last Samples
  std::atomic<size_t> bytes_{0};
};

}  // namespace iprof::vm
