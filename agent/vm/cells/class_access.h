// ClassAccess: how a class's probes reach the counters, which depends on the class loader.
//
// Classes of the JDK's own loaders find the holders of chunks by name. Other classes inherit access
// from java.lang.Object (ChunkReach) or get holders in their own loader (LoaderHolders). A class
// without access is left unchanged and counted.
//
// Guarantees: no lock is held during a call to the JVM. Threads: any, including the class-file
// hook. Failure: With returns false, and Report says how often and why.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "agent/instrument/class_instrumenter.h"
#include "agent/vm/cells/chunk_reach.h"

namespace iprof::vm {

class ClassAccess {
 public:
  explicit ClassAccess(ChunkReach& reach) : reach_(reach) {}
  ClassAccess(const ClassAccess&) = delete;
  ClassAccess& operator=(const ClassAccess&) = delete;

  // Calls `instrument` with the class's access, which is null if its probes find the holders by
  // name, and returns its result. If the class has no access, returns false without the call.
  bool With(jvmtiEnv* jvmti, JNIEnv* jni, const ClassInLoader& type,
            const std::function<bool(instrument::ChunkAccess*)>& instrument);

  // Lines for verbose=1; empty if every class had access.
  std::string LeftAlone() const;

 private:
  ChunkReach& reach_;
  // The numbers of classes left unchanged.
  std::atomic<uint64_t> too_early_{0};       // loaded before reach_ was open
  std::atomic<uint64_t> for_reflection_{0};  // LoaderKind::kReflection
};

}  // namespace iprof::vm
