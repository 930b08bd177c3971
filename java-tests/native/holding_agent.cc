// An agent for tests: blocks the thread that retransforms the class Ends, until one second after
// the program has ended. It prints "held" on stdout when it blocks. With the options CLASS:FILE, it
// blocks the one that retransforms that class, until the file is there.
#include <jvmti.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>

namespace {

std::atomic<bool> ended{false};
std::string held_class = "Ends";
std::string file;  // empty: none

void Sleep(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, nullptr);
}

void JNICALL VmDeath(jvmtiEnv*, JNIEnv*) { ended = true; }

void JNICALL ClassFileLoadHook(jvmtiEnv*, JNIEnv*, jclass redefined, jobject, const char* name,
                               jobject, jint, const unsigned char*, jint*, unsigned char**) {
  if (redefined == nullptr || name == nullptr || name != held_class) return;
  constexpr std::string_view kHeld = "held\n";
  if (write(STDOUT_FILENO, kHeld.data(), kHeld.size()) < 0) return;
  constexpr int kPatience = 6000;  // a minute
  for (int i = 0; i < kPatience && !ended; ++i) {
    if (!file.empty() && access(file.c_str(), F_OK) == 0) return;
    Sleep(10);
  }
  Sleep(1000);
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* /*reserved*/) {
  const std::string_view given = options == nullptr ? "" : options;
  if (const size_t colon = given.find(':'); colon != given.npos) {
    held_class = given.substr(0, colon);
    file = given.substr(colon + 1);
  }
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  auto* jvmti = static_cast<jvmtiEnv*>(environment);
  jvmtiCapabilities capabilities{};
  capabilities.can_retransform_classes = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.VMDeath = VmDeath;
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  bool registered =
      jvmti->AddCapabilities(&capabilities) == JVMTI_ERROR_NONE &&
      jvmti->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks)) == JVMTI_ERROR_NONE;
  for (const jvmtiEvent event : {JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK}) {
    registered = registered &&
                 jvmti->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr) == JVMTI_ERROR_NONE;
  }
  return registered ? JNI_OK : JNI_ERR;
}
