// For tests: a library that takes signals that others may use, as some libraries do when they
// are loaded.
#include <jni.h>
#include <signal.h>

// action: 0 the default action, 1 ignore, 2 its own handler.
extern "C" JNIEXPORT void JNICALL Java_sampling_Thief_take(JNIEnv*, jclass, jint action) {
  struct sigaction theirs {};
  theirs.sa_handler = action == 0 ? SIG_DFL : action == 1 ? SIG_IGN : [](int) {};
  theirs.sa_flags = SA_RESTART;
  sigaction(SIGURG, &theirs, nullptr);
  sigaction(SIGWINCH, &theirs, nullptr);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    const bool is_of_jdk = signal == SIGRTMAX - 2;  // it interrupts blocked input and output
    if (!is_of_jdk) sigaction(signal, &theirs, nullptr);
  }
}
