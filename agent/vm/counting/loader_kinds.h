// LoaderKinds: which class loaders are the JDK's own, and so sure to find classes of java.lang.
//
// Guarantees: a loader is called the JDK's by its class, which only the boot loader defines: one that
// -Djava.system.class.loader puts in place of the application's is a kCustom like any other, and no
// code of the program runs to find out. Any thread, from the start phase on; without locks.
//
// Classes that the JDK 17 makes for reflection have a loader each, DelegatingClassLoader, for which
// HotSpot asks its parent in everything: they cannot even name themselves. Such a loader is of its
// parent's kind, or kReflection where that is kCustom.
#pragma once

#include <jvmti.h>

#include <cstdint>

namespace iprof::vm {

enum class LoaderKind : uint8_t { kBoot, kPlatform, kApplication, kReflection, kCustom };

LoaderKind KindOfLoader(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader);

}  // namespace iprof::vm
