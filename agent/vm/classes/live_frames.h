// LiveFrames: how many activations of each method had not ended at a moment: when the profile was
// made, or when the recording was stopped, started or reset.
//
// Why: a live frame has entered blocks that it never left. Each such frame may make a derived count
// wrong by one, and the profile's bounds say so.
//
// Guarantees: reads complete stacks, as far as memory allows (32,768 frames if there are 500
// threads). Only platform threads count: JVMTI does not list the stack of an unmounted virtual
// thread.
// Threads: any attached thread in the live phase, including VMDeath.
// Failure: if the JVM does not return stacks, all counts are 0.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <unordered_map>

#include "agent/vm/jvmti/class_source.h"
#include "writer/names/typed_names.h"

namespace iprof::vm {

class LiveFrames {
 public:
  static LiveFrames Collect(const ClassSource& source, jvmtiEnv* jvmti, JNIEnv* jni);

  uint64_t Of(const MethodKey& key) const;
  void Add(const LiveFrames& other);
  // Calls visit(const MethodKey&, uint64_t) for each method that has any.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [key, frames] : counts_) visit(key, frames);
  }

 private:
  std::unordered_map<MethodKey, uint64_t> counts_;
};

}  // namespace iprof::vm
