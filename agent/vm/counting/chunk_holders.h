// ChunkHolders: classes of the agent's own inside the JVM, one a chunk, each holding a chunk's
// arrays.
//
// Guarantees:
//  - A chunk is announced to its space only when its holder is defined; after start-up, only when
//    its static initialiser has run as well. So no probe runs the initialiser of a fresh chunk,
//    where a StackOverflowError or OutOfMemoryError would poison the holder for every user of it.
//    (During start-up there is one thread with an almost empty stack.)
//  - The arrays of later chunks are allocated before their holder is initialised: a full heap means
//    "not yet", never a holder in error. Classes are left untouched meanwhile.
//  - No lock is held across a JNI call.
// What is in a holder is its subclass's affair (CounterChunks, TypeChunks).
// Threads: DefineEarly at VMStart; the rest on one live thread at a time that may run Java code
// (VMInit, then the agent's own). The caller must have no exception pending; none is left pending.
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

  // Defines the class that initialisers call and the first `chunks` holders, running no Java code.
  Status DefineEarly(JNIEnv* jni, uint32_t chunks);

  // Initialises what DefineEarly defined.
  Status InitialiseDefined(JNIEnv* jni);

  // Defines and initialises holders until the space has what it wants. Fails when the JVM has no
  // memory for one.
  Status DefineAhead(JNIEnv* jni);

  // Times that a holder could not be made.
  uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

 protected:
  virtual std::string_view RuntimeName() const = 0;
  virtual std::vector<uint8_t> RuntimeBytes() const = 0;
  virtual std::vector<uint8_t> HolderBytes(uint32_t chunk) const = 0;
  // Allocates the arrays of the next holder and leaves them where its initialiser takes them.
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

// Ends a failed JNI step: nothing stays pending, the sentence says what was being done.
Status JniFailed(JNIEnv* jni, std::string_view what);

// Defines a class in the boot loader; a global reference to it.
Result<jclass> DefineBootClass(JNIEnv* jni, std::string_view name, std::span<const uint8_t> bytes);

// Puts an object into a static field and drops the local reference.
Status SetStaticObject(JNIEnv* jni, jclass owner, const char* field, const char* descriptor,
                       jobject value);

// The object in a static field, as a global reference; reading it runs the class's initialiser.
Result<jobject> KeepStaticObject(JNIEnv* jni, jclass owner, const char* field,
                                 const char* descriptor);

}  // namespace iprof::vm
