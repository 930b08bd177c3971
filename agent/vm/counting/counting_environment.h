// CountingEnvironment: the JVMTI environment in which classes are counted.
//
// Why apart from Counting: the JVM gives some capabilities only while it starts, and keeps the bytes that
// classes have without our code only from then on. Everything else that counting needs can wait until the
// recording begins, and a JVM that never records does without.
//
// Guarantees: no event is enabled. Threads: the loading thread. Failure: a Status that names the step.
#pragma once

#include <jni.h>

#include "agent/vm/counting/startup_plan.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "writer/base/status.h"

namespace iprof::vm {

// `restorable`: classes can get their own code back.
Result<JvmtiEnvironment> OpenForCounting(JavaVM* vm, CountingStart start, bool restorable);

}  // namespace iprof::vm
