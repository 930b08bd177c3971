// LoaderKinds: which class loaders are the JDK's own, so that they are sure to find classes of
// java.lang.
//
// Guarantees: a loader is one of the JDK's if its class is, which only the boot loader defines. If
// -Djava.system.class.loader replaces the application loader, the replacement is kCustom. No code
// of the program runs. The classes that JDK 17 generates for reflection have a loader each,
// DelegatingClassLoader. HotSpot asks its parent for everything, so these classes cannot even
// resolve themselves. Such a loader has its parent's kind, or kReflection if the parent is kCustom.
// Threads: any, from the start phase on; no locks. Failure: an unknown loader is kCustom.
#pragma once

#include <jvmti.h>

#include <cstdint>

namespace iprof::vm {

enum class LoaderKind : uint8_t { kBoot, kPlatform, kApplication, kReflection, kCustom };

LoaderKind KindOfLoader(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader);

}  // namespace iprof::vm
