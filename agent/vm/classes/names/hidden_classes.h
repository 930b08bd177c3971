// HiddenClasses: names and counts the classes that the JVM never shows to a class-file hook.
//
// A lambda's class is hidden: the native method ClassLoader.defineClass0 creates it, without a
// class-file event. So that method is replaced when the JVM binds it (NativeMethodBind). The
// replacement names the class, has it counted, and calls the original.
//
// What happens to a hidden class:
// - A lambda or method reference is counted like other classes, under its stable name.
// - Everything else (LambdaForm$… and other linkage of method handles, …$$TypeSwitch, classes that
//   an application hides itself) is passed on unchanged and counted by kind. An image build has no
//   class with such a name. See docs/names.md.
//
// A lambda's name follows from its class file. If several lambdas of a class do the same, it also
// follows from the call site that is being linked. So threads that race to link a site, and a site
// that is linked again, get classes with the same name.
//
// Guarantees: on any problem the original bytes are defined, also if the JVM refuses the rewritten
// class as malformed. The caller sees exceptions of the original method, never ours. No lock is
// held during a call to the JVM. The method stays replaced while the JVM runs; without a session
// the replacement only calls the original.
// Threads: CanStart, Start and Close on the loading thread; CountWith and the replacement on any thread. One
// object at a time.
// Failure: CanStart logs why not. After a late attach nothing is replaced: the JVM would have to
// rebind the method, and then it prints a warning into the application's output.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings/log.h"
#include "agent/vm/classes/names/call_site.h"
#include "agent/vm/classes/names/hidden_class_counting.h"
#include "agent/vm/classes/names/hidden_names.h"
#include "agent/vm/classes/names/native_function.h"
#include "agent/vm/classes/names/unload_watch.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "writer/base/status.h"

namespace iprof::vm {

class HiddenClasses {
 public:
  // Whether hidden classes can be seen in this JVM; logs why not. `attached`: the program is
  // already running.
  static bool CanStart(JavaVM* vm, Log& log, bool attached);

  // All of these must outlive this object.
  HiddenClasses(Log& log, HiddenNames& names, UnloadWatch& watch)
      : log_(log), names_(names), watch_(watch) {}
  HiddenClasses(const HiddenClasses&) = delete;
  HiddenClasses& operator=(const HiddenClasses&) = delete;

  Status Start(JavaVM* vm);
  // From now on classes are not only named. `counting` must outlive this object.
  void CountWith(HiddenClassCounting& counting) { counting_.store(&counting); }

  // Called while the program keeps running: from now on no lambda is named or counted. Returns true
  // if none is being defined with our help, so that this object can be destroyed.
  bool Close();

  // The paragraph that verbose=1 prints at the end.
  std::string Report() const;
  // For a user: the lambdas that could not be counted.
  std::string LeftAlone() const;

 private:
  enum class Kind { kLambda, kLinkage, kTypeSwitch, kOther };
  static constexpr size_t kKinds = 4;

  using DefineClass0 = jclass(JNICALL*)(JNIEnv*, jclass, jobject loader, jclass lookup,
                                        jstring name, jbyteArray bytes, jint offset, jint length,
                                        jobject domain, jboolean initialize, jint flags,
                                        jobject class_data);

  // What is known of a class before it is defined.
  struct Prepared {
    std::string class_name;          // as in the bytes
    std::string stable_name;         // empty: the class is left unchanged
    jbyteArray rewritten = nullptr;  // null: the original bytes
    jint length = 0;
    std::optional<instrument::ClassId> held;  // for the rewritten class
  };

  // What stays in the JVM. The replacement gets no pointer to its object, so it uses this.
  struct Interception {
    std::atomic<DefineClass0> original{nullptr};  // null until the JVM binds the method
    CallbackGate gate{nullptr};                   // to the current object
  };
  static Interception& Installed();

  void OnBind(jmethodID method, void* address, void** replacement);
  Prepared Prepare(JNIEnv* jni, jobject loader, jclass lookup, jbyteArray bytes, jint offset,
                   jint length);
  uint32_t NumberOf(JNIEnv* jni, jclass lookup);
  jclass Define(JNIEnv* jni, jclass holder, jobject loader, jclass lookup, jstring name,
                jbyteArray bytes, jint offset, jint length, jobject domain, jboolean initialize,
                jint flags, jobject class_data, const Prepared& prepared, bool* refused);
  // An empty stable name removes the name that an unloaded class with this HotSpot name had.
  void Remember(jclass defined, const std::string& stable_name, bool has_probes);
  static Kind KindOf(std::string_view name);
  bool TakeFormatError(JNIEnv* jni);

  static jclass JNICALL Replacement(JNIEnv* jni, jclass holder, jobject loader, jclass lookup,
                                    jstring name, jbyteArray bytes, jint offset, jint length,
                                    jobject domain, jboolean initialize, jint flags,
                                    jobject class_data);
  static void JNICALL NativeMethodBind(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread,
                                       jmethodID method, void* address, void** replacement);

  Log& log_;
  HiddenNames& names_;
  UnloadWatch& watch_;
  std::atomic<HiddenClassCounting*> counting_{nullptr};  // null until CountWith
  std::optional<CallSiteFinder> call_sites_;
  std::optional<NativeFunction> define_class_;  // the JDK's own
  std::array<std::atomic<uint64_t>, kKinds> seen_{};
  std::atomic<uint64_t> counted_{0};
  std::atomic<uint64_t> without_name_{0};  // lambdas that call nothing, or that we cannot read
  std::atomic<uint64_t> refused_{0};       // rewritten classes that the JVM refused
  JvmtiEnvironment environment_;
};

}  // namespace iprof::vm
