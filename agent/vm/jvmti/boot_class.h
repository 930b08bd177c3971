// BootClass: a class of the JDK, found without running a line of the program.
//
// JNI's FindClass asks the class loader of the Java method that runs on the calling thread, or else the
// system class loader. Both may be the program's, also for java.lang.Object: their loadClass would run
// inside our callback, under any locks that the JVM or the program holds there. So HotSpot is asked for
// what its boot loader has, which needs no Java code.
//
// Guarantees: no exception is pending afterwards. The class may not be initialised yet; GetMethodID,
// GetFieldID and their static forms initialise it.
// Threads: any, attached to the JVM, from VMStart on.
// Failure: null, if there is no such class. A JVM without this function is asked through FindClass.
#pragma once

#include <jni.h>

namespace iprof::vm {

// `name`: as in JNI, such as "java/lang/Object" or "[J". Returns a local reference.
jclass BootClass(JNIEnv* jni, const char* name);

}  // namespace iprof::vm
