// JdkVersion: the feature version of the running JVM, as 17 or 25.
//
// Guarantees: 0 if the JVM does not say it. Threads: any, in any phase. Failure: std::bad_alloc.
#pragma once

#include <jvmti.h>

namespace iprof::vm {

int JdkVersion(jvmtiEnv* jvmti);

}  // namespace iprof::vm
