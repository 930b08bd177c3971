#include "agent/vm/jvmti/attached_thread.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/jvmti/jvmti_error.h"

namespace iprof::vm {
namespace {

// HotSpot's own default. A function may run Java code.
constexpr size_t kStackBytes = size_t{1} << 20;

std::atomic<uint64_t> ended_cpu_ns{0};

struct Work {
  std::string name;
  std::function<void()> function;
  sigset_t program_mask;
};

// The mask of the thread of the program that started this one, perhaps through other threads of the
// agent. Empty: this is a thread of the program.
thread_local std::optional<sigset_t> program_mask;

// Lets this thread take the signals that the program's thread takes. HotSpot has unblocked its own.
void UnblockAsProgram() {
  sigset_t open;
  sigfillset(&open);
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (sigismember(&*program_mask, signal) == 1) sigdelset(&open, signal);
  pthread_sigmask(SIG_UNBLOCK, &open, nullptr);
}

void* Run(void* argument) {
  const std::unique_ptr<Work> work(static_cast<Work*>(argument));
  constexpr size_t kLongestName = 15;  // of a thread in Linux
  program_mask = work->program_mask;
  pthread_setname_np(pthread_self(), work->name.substr(0, kLongestName).c_str());
  try {
    work->function();
  } catch (...) {
    // There is no memory for a message; the program goes on.
  }
  ended_cpu_ns.fetch_add(ThreadCpuNs(), std::memory_order_relaxed);
  return nullptr;
}

// Creates a java.lang.Thread object for the JVM to run us on. On failure returns null, with no
// exception pending.
jobject NewThreadObject(JNIEnv* jni, const char* name) {
  jobject thread = nullptr;
  jclass thread_class = BootClass(jni, "java/lang/Thread");
  jstring thread_name = jni->NewStringUTF(name);
  if (thread_class != nullptr && thread_name != nullptr) {
    jmethodID constructor = jni->GetMethodID(thread_class, "<init>", "(Ljava/lang/String;)V");
    if (constructor != nullptr) thread = jni->NewObject(thread_class, constructor, thread_name);
  }
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    thread = nullptr;
  }
  if (thread_class != nullptr) jni->DeleteLocalRef(thread_class);
  if (thread_name != nullptr) jni->DeleteLocalRef(thread_name);
  return thread;
}

struct HiddenWork {
  std::function<void(jvmtiEnv*, JNIEnv*)> function;
};

void JNICALL RunHidden(jvmtiEnv* jvmti, JNIEnv* jni, void* argument) {
  const std::unique_ptr<HiddenWork> work(static_cast<HiddenWork*>(argument));
  try {
    work->function(jvmti, jni);
  } catch (...) {
    // As above.
  }
  if (jni->ExceptionCheck()) jni->ExceptionClear();
}

uint64_t ClockNs(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

uint64_t ThreadCpuNs() { return ClockNs(CLOCK_THREAD_CPUTIME_ID); }
uint64_t ProcessCpuNs() { return ClockNs(CLOCK_PROCESS_CPUTIME_ID); }

Status StartNativeThread(std::string name, std::function<void()> function) {
  auto work = std::make_unique<Work>(Work{std::move(name), std::move(function), {}});
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return {Code::kLimit, "there is no memory for a thread"};
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  // The new thread inherits the mask: the program's signals are not meant for it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  work->program_mask = program_mask.value_or(before);
  pthread_t thread{};
  const int failed = pthread_create(&thread, &attributes, Run, work.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (failed != 0) return {Code::kLimit, "the system refuses a thread"};
  static_cast<void>(work.release());
  return {};
}

Status StartAttachedThread(JavaVM* vm, std::string name, std::function<void(JNIEnv*)> function) {
  std::string java_name = name;
  return StartNativeThread(std::move(name), [vm, java_name = std::move(java_name),
                                             function = std::move(function)]() mutable {
    JavaVMAttachArgs arguments{JNI_VERSION_10, java_name.data(), nullptr};
    void* jni = nullptr;
    if (vm->AttachCurrentThreadAsDaemon(&jni, &arguments) != JNI_OK) return function(nullptr);
    const std::unique_ptr<JavaVM, void (*)(JavaVM*)> attached(
        vm, [](JavaVM* to) { to->DetachCurrentThread(); });
    UnblockAsProgram();
    function(static_cast<JNIEnv*>(jni));
  });
}

Status StartHiddenThread(jvmtiEnv* jvmti, JNIEnv* jni, const char* name,
                         std::function<void(jvmtiEnv*, JNIEnv*)> function) {
  jobject thread = NewThreadObject(jni, name);
  if (thread == nullptr) return {Code::kLimit, "the JVM has no memory for the agent's thread"};
  auto work = std::make_unique<HiddenWork>(HiddenWork{std::move(function)});
  const jvmtiError error =
      jvmti->RunAgentThread(thread, RunHidden, work.get(), JVMTI_THREAD_NORM_PRIORITY);
  jni->DeleteLocalRef(thread);
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("start the agent's thread", error);
  static_cast<void>(work.release());
  return {};
}

uint64_t EndedThreadsCpuNs() { return ended_cpu_ns.load(std::memory_order_relaxed); }

}  // namespace iprof::vm
