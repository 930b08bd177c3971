// ProgramStart: whether the JVM got as far as the program.
//
// Why: a mistyped class name, for example, ends the JVM in its launcher. What was recorded until then
// is the launcher's code, which must not replace the profile of a program.
//
// How: the java launcher names itself in a system property and keeps the program's main class in a static
// field of its helper class, once it has found the class. A JVM that another program created through JNI
// has neither, and counts as begun.
//
// Guarantees: in doubt the answer is yes. No code of the program runs.
// Threads: any attached thread, in the live phase, also in VMDeath.
// Failure: none; what cannot be asked counts as begun.
#pragma once

#include <jvmti.h>

namespace iprof::vm {

// Whether the program's main class began: it is initialised, or its static initialiser runs. With a source
// file (java Program.java): whether a class of it was loaded.
bool HasProgramBegun(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace iprof::vm
