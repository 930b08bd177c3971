// An agent for tests: changes the process's working directory, as some native libraries do.
#include <jvmti.h>
#include <unistd.h>

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* /*vm*/, char* options, void* /*reserved*/) {
  return chdir(options) == 0 ? JNI_OK : JNI_ERR;
}
