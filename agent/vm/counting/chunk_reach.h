// ChunkReach: the way to the chunks for classes whose loader may not find their holders.
//
// java.lang.Object gets members that every class inherits (agent/instrument/probes/inherited_members.h)
// when it is loaded, which only the early class-file hook sees. They lead to the runtime class
// IprofReach, which knows all chunks by number. Elsewhere there are LoaderHolders.
//
// Guarantees:
//  - A chunk is entered before it is announced to its space, so that no probe ever reads an empty
//    entry; probes of this kind are only inserted once Open() says so, which is from VMInit on.
//  - The members are there again whenever Object is redefined.
//  - Reflection does not show them.
// Threads: GiveMembers in the hook, any phase; the rest as ChunkHolders. No lock is held across a
// call to the JVM. Failure: the members are not there or not open, and classes that need them are
// left alone.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "agent/vm/counting/loader_holders.h"
#include "writer/base/status.h"

namespace iprof::vm {

class ChunkReach {
 public:
  explicit ChunkReach(uint32_t stripes) : stripes_(stripes), loader_holders_(stripes) {}

  // The bytes of java.lang.Object with the members; empty where it cannot have them.
  std::vector<uint8_t> GiveMembers(std::span<const uint8_t> object_class);

  // Defines the runtime class: before any holder, running no Java code.
  Status Define(JNIEnv* jni);

  // Enters a chunk: a long[] (with stripes a long[][]), or the rows of sites.
  // The objects are global references.
  Status AddCounters(JNIEnv* jni, uint32_t chunk, jobject arrays);
  Status AddSites(JNIEnv* jni, uint32_t chunk, jobject types, jobject counts);

  // At VMInit or later, when the first chunks are entered: hides the members from reflection, and
  // probes may use them. Where Object has none, the LoaderHolders start.
  Status Open(JNIEnv* jni);
  bool is_open() const { return open_.load(std::memory_order_acquire); }
  bool has_members() const { return has_members_.load(std::memory_order_acquire); }

  // The way for everybody else.
  LoaderHolders& loader_holders() { return loader_holders_; }
  const LoaderHolders& loader_holders() const { return loader_holders_; }

 private:
  Status Enter(JNIEnv* jni, const char* field, const char* descriptor, uint32_t chunk,
               jobject value);
  static Status HideMembers(JNIEnv* jni, jclass object);

  const uint32_t stripes_;
  LoaderHolders loader_holders_;
  std::atomic<bool> has_members_{false};
  std::atomic<bool> open_{false};
  jclass runtime_ = nullptr;  // global reference
};

}  // namespace iprof::vm
