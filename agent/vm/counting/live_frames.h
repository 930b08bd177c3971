// LiveFrames: how many activations of each method had not ended when the profile was made.
//
// Why: a frame that is still there has entered blocks that it never left; each such frame may put a
// derived count off by one, and the profile's bounds say so.
//
// Any attached thread in the live phase, VMDeath included. Stacks of any depth that there is memory
// for (32,768 frames where there are 500 threads). Platform threads only: a parked virtual thread has no
// stack that JVMTI would list. Answers nothing where the JVM does not.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <unordered_map>

#include "writer/names/typed_names.h"

namespace iprof::vm {

class LiveFrames {
 public:
  static LiveFrames Collect(jvmtiEnv* jvmti, JNIEnv* jni);

  uint64_t Of(const MethodKey& key) const;

 private:
  std::unordered_map<MethodKey, uint64_t> counts_;
};

}  // namespace iprof::vm
