// ClassAccess: by which way a class's probes reach the counters, which depends
// on its class loader.
//
// Classes of the JDK's own loaders find the holders of chunks by name. Others
// inherit a way from java.lang.Object (ChunkReach), or get holders in their own
// loader (LoaderHolders). Where there is no way the class is left alone, and
// counted.
//
// Threads: any, the class-file hook included. No lock is held across a call to
// the JVM.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "agent/instrument/class_instrumenter.h"
#include "agent/vm/counting/chunk_reach.h"

namespace iprof::vm {

class ClassAccess {
 public:
  explicit ClassAccess(ChunkReach& reach) : reach_(reach) {}
  ClassAccess(const ClassAccess&) = delete;
  ClassAccess& operator=(const ClassAccess&) = delete;

  // Calls `instrument` with the class's way: null where its probes find the
  // holders by name. False, and not called, where the class has no way;
  // otherwise what `instrument` answers.
  bool With(jvmtiEnv* jvmti, JNIEnv* jni, const ClassInLoader& type,
            const std::function<bool(instrument::ChunkAccess*)>& instrument);

  // Lines of verbose=1; empty where every class had its way.
  std::string Report() const;

 private:
  ChunkReach& reach_;
  // Classes left alone.
  std::atomic<uint64_t> too_early_{0};       // they came before reach_ was open
  std::atomic<uint64_t> for_reflection_{0};  // LoaderKind::kReflection
};

}  // namespace iprof::vm
