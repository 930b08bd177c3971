// ChunkHolders: the agent's own classes inside the JVM that hold the arrays of chunks, one class
// per chunk. A process can define them once: a second Counting in one process fails in DefineEarly.
//
// Guarantees:
// - A chunk is announced to its space only when its holder is defined and, after start-up, when its
//   static initialiser has run. So no probe runs the initialiser of a new chunk. There, a
//   StackOverflowError or OutOfMemoryError would make the holder unusable for all its users.
//   (During start-up there is one thread with an almost empty stack.)
// - The arrays of later chunks are allocated before their holder is initialised. So a full heap
//   means "not yet", never a broken holder. Until then classes are left unchanged.
// - No lock is held during a JNI call.
// Subclasses decide what a holder contains (CounterChunks, TypeChunks).
// Threads: DefineEarly at VMStart; the rest on one thread at a time that may run Java code (VMInit,
// then the agent's own). The caller must have no exception pending, and none is left pending.
// Failure: a Status; failures() counts holders that could not be created.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/instrument/probes/counter_space.h"
#include "writer/base/status.h"

namespace iprof::vm {

class ChunkHolders {
 public:
  explicit ChunkHolders(instrument::CounterSpace& space) : space_(space) {}
  virtual ~ChunkHolders() = default;
  ChunkHolders(const ChunkHolders&) = delete;
  ChunkHolders& operator=(const ChunkHolders&) = delete;

  virtual std::string HolderName(uint32_t chunk) const = 0;

  // Defines the class that initialisers call and the first `chunks` holders. Runs no Java code. After a
  // failure it can be called again.
  Status DefineEarly(JNIEnv* jni, uint32_t chunks);

  // Initialises what DefineEarly defined.
  Status InitialiseDefined(JNIEnv* jni);

  // Defines and initialises holders until the space has enough. Fails if the JVM has no memory for
  // one.
  Status DefineAhead(JNIEnv* jni);

  // How often a holder could not be created.
  uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

 protected:
  virtual std::string_view RuntimeName() const = 0;
  virtual std::vector<uint8_t> RuntimeBytes() const = 0;
  virtual std::vector<uint8_t> HolderBytes(uint32_t chunk) const = 0;
  // Allocates the arrays of the next holder and stores them where its initialiser finds them.
  virtual Status HandOver(JNIEnv* jni) = 0;
  // Runs the holder's initialiser and keeps references to its arrays.
  virtual Status Adopt(JNIEnv* jni, jclass holder) = 0;

  jclass runtime() const { return runtime_; }

 private:
  instrument::CounterSpace& space_;
  jclass runtime_ = nullptr;     // global reference
  std::vector<jclass> holders_;  // global references
  size_t adopted_ = 0;
  std::atomic<uint64_t> failures_{0};
};

// Clears the pending exception of a failed JNI step. The Status says what was being done.
Status JniFailed(JNIEnv* jni, std::string_view what);

// Defines a class in the boot loader and returns a global reference to it.
Result<jclass> DefineBootClass(JNIEnv* jni, std::string_view name, std::span<const uint8_t> bytes);

// Stores an object in a static field and deletes the local reference.
Status SetStaticObject(JNIEnv* jni, jclass owner, const char* field, const char* descriptor,
                       jobject value);

// Returns the object in a static field as a global reference. Reading the field runs the class's
// initialiser.
Result<jobject> KeepStaticObject(JNIEnv* jni, jclass owner, const char* field,
                                 const char* descriptor);

}  // namespace iprof::vm
