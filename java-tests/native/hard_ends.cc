// For tests: ends of a process that the JVM does not see coming.
#include <jni.h>
#include <unistd.h>

#include <cstdlib>

extern "C" JNIEXPORT void JNICALL Java_HardEnds_abort(JNIEnv* /*env*/, jclass /*type*/) {
  std::abort();
}

extern "C" JNIEXPORT void JNICALL Java_HardEnds_crash(JNIEnv* /*env*/, jclass /*type*/) {
  volatile int* const nowhere = nullptr;
  *nowhere = 1;
}

extern "C" JNIEXPORT void JNICALL Java_HardEnds_quit(JNIEnv* /*env*/, jclass /*type*/, jint code) {
  std::exit(code);
}

extern "C" JNIEXPORT void JNICALL Java_HardEnds_leave(JNIEnv* /*env*/, jclass /*type*/, jint code) {
  _exit(code);
}
