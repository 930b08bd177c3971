// ChunkReach: access to the chunks for classes whose loader may not find the chunks' holders.
//
// When java.lang.Object is loaded, it gets members that every class inherits
// (agent/instrument/probes/inherited_members.h). Only the early class-file hook can do this. The
// members lead to the runtime class IprofReach, which knows all chunks by number. Without the early
// hook, LoaderHolders are used.
//
// Guarantees:
// - A chunk is entered before it is announced to its space, so no probe ever reads an empty entry.
//   Probes of this kind are inserted only after Open() succeeded, at VMInit or later.
// - The members are added again whenever Object is redefined.
// - Reflection does not show them.
// Threads: GiveMembers in the hook, in any phase; the rest as ChunkHolders. No lock is held during
// a call to the JVM.
// Failure: the members are missing or not open, and classes that need them are left unchanged.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "agent/vm/cells/loader_holders.h"
#include "writer/base/status.h"

namespace iprof::vm {

class ChunkReach {
 public:
  explicit ChunkReach(uint32_t stripes) : stripes_(stripes), loader_holders_(stripes) {}

  // The bytes of java.lang.Object with the members; empty if they cannot be added.
  std::vector<uint8_t> GiveMembers(std::span<const uint8_t> object_class);

  // Defines the runtime class. Call it before any holder is defined. Runs no Java code.
  Status Define(JNIEnv* jni);

  // Enters a chunk: a long[] (with stripes a long[][]), or the rows of sites. The objects must be
  // global references.
  Status AddCounters(JNIEnv* jni, uint32_t chunk, jobject arrays);
  Status AddSites(JNIEnv* jni, uint32_t chunk, jobject types, jobject counts);

  // Call it at VMInit or later, after the first chunks were entered: hides the members from
  // reflection and lets probes use them. If Object has no members, starts the LoaderHolders.
  Status Open(JNIEnv* jni);
  bool is_open() const { return open_.load(std::memory_order_acquire); }
  bool has_members() const { return has_members_.load(std::memory_order_acquire); }

  // The access for all other classes.
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
