// FakeJvm: a JVM for tests, with classes, objects and JVMTI environments. It does what a test asks
// it to.
//
// It models class loading with its events (class-file hook, ClassLoad, ClassPrepare), static fields
// and arrays, tags and unloading, weak references, agent threads, and native methods whose bodies
// are C++ functions. It does not model bytecode. JNI and JVMTI functions that it lacks are null, so
// an unexpected call ends the test.
//
// Guarantees: references are the objects' addresses. Threads: one at a time, except agent threads,
// which the test must end before the JVM. Failure: `refuse` and `pending` make calls fail.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace iprof::vm {

struct FakeClass;
class FakeJvm;

struct FakeObject {
  virtual ~FakeObject() = default;
  FakeClass* type = nullptr;
  std::map<std::string, FakeObject*> fields;  // static fields, of a class
  std::map<std::string, jlong> numbers;       // the same for primitive types
  std::vector<jlong> longs;                   // of an array of integers of any width
  std::vector<FakeObject*> elements;
  std::string text;  // of a string
  bool is_gone = false;

  // One of `longs`: as in the JVM, the agent's thread may read it while the program writes it.
  std::atomic_ref<jlong> Long(size_t at) { return std::atomic_ref(longs.at(at)); }
};

struct FakeMethod {
  FakeClass* owner = nullptr;
  std::string name, descriptor;
};

struct FakeClass : FakeObject {
  std::string name;  // in internal form
  FakeObject* loader = nullptr;
  FakeClass* super = nullptr;
  std::vector<uint8_t> bytes;  // as the JVM runs them
  std::vector<uint8_t> kept;   // before the first environment that can retransform; empty: as bytes
  std::vector<FakeMethod*> methods;  // as JVMTI lists them
  bool is_prepared = true;
  bool is_modifiable = true;
};

// A JVMTI environment.
struct FakeEnvironment {
  FakeJvm* jvm = nullptr;
  jvmtiInterface_1_ functions{};
  jvmtiEnv env{};
  jvmtiCapabilities capabilities{};
  jvmtiEventCallbacks callbacks{};
  std::set<jvmtiEvent> enabled;  // changed by FakeJvm::Enable, because agent threads do so, too
  std::map<FakeObject*, jlong> tags;
  void* storage = nullptr;
  bool is_disposed = false;
};

class FakeJvm {
 public:
  FakeJvm();
  ~FakeJvm();
  FakeJvm(const FakeJvm&) = delete;
  FakeJvm& operator=(const FakeJvm&) = delete;

  JavaVM* vm() { return &vm_; }
  JNIEnv* jni() { return &jni_; }
  const std::deque<FakeEnvironment>& environments() const { return environments_; }
  // The number of environments that have not been disposed.
  size_t open_environments() const;
  // The enabled events of all environments.
  std::set<jvmtiEvent> enabled_events() const;

  // Makes JVMTI functions fail from now on, by name: "AddCapabilities", or "enable ClassLoad" for
  // an event.
  std::map<std::string, jvmtiError> refuse;
  bool has_jvmti = true;
  bool attaches = true;                  // threads
  std::atomic<int> attached_threads{0};  // now; the destructor waits for their end
  std::atomic<int> agent_threads{0};     // that run now
  bool is_between_phases = false;
  // An exception of this class is pending; null: none.
  std::atomic<FakeClass*> pending{nullptr};
  std::map<std::string, std::string> properties;

  // Objects and classes that exist from the start. No events are sent for them.
  FakeObject* NewObject(FakeClass* type);
  FakeObject* NewText(std::string_view text);
  FakeObject* NewBytes(const std::vector<uint8_t>& bytes);
  FakeClass* AddClass(const std::string& name, FakeObject* loader = nullptr);
  FakeObject* platform_loader = nullptr;
  FakeObject* application_loader = nullptr;
  FakeObject* AddLoader() { return NewObject(AddClass("a/Loader")); }
  FakeMethod* AddMethod(FakeClass* owner, const std::string& name, const std::string& descriptor);
  // Null if there is no such class.
  FakeClass* Find(std::string_view name, const FakeObject* loader = nullptr) const;

  // The bodies of Java and native methods, by "a/B.name". Other methods return null.
  using Body = std::function<FakeObject*(FakeObject* receiver, va_list arguments)>;
  std::map<std::string, Body> bodies;

  // What all threads run, and what they are called.
  struct Frame {
    FakeMethod* method;
    jlocation at;
    jint line = 0;           // 0: the method has no table of lines
    jlocation length = 100;  // of the code
  };
  std::vector<Frame> stack;
  FakeObject* current_thread = nullptr;  // its Thread object
  std::string thread_name;
  // As set by SetHeapSamplingInterval; 0: not yet.
  jint heap_sampling_interval = 0;

  // Actions of the JVM. Each notifies the environments that have enabled the event.
  void StartPhase();  // VMStart
  void LivePhase();   // VMInit
  void Die();         // VMDeath
  void RequestDump();
  void Allocate(FakeObject* object, jlong size);  // an object that is sampled
  void CollectGarbage();                          // GarbageCollectionFinish; frees nothing
  // A thread finds a monitor locked, and then has it.
  void BeginToWait(FakeObject* thread, FakeObject* monitor);
  void EndToWait(FakeObject* thread, FakeObject* monitor);
  FakeClass* Load(const std::string& name, std::vector<uint8_t> bytes,
                  FakeObject* loader = nullptr);
  // The class was linked.
  void Prepare(FakeClass* klass);
  void Unload(FakeObject* object);
  // The JVM binds a native method. Returns the address that it will call.
  void* Bind(FakeMethod* method, void* address);

  // Classes that JNI has defined, in order. Do not read it while an agent thread runs.
  std::vector<std::string> defined;
  // Called before classes are retransformed.
  std::function<void()> on_retransform;
  // Called before the loaded classes are listed.
  std::function<void()> on_list;
  // Classes that were retransformed, in order.
  std::vector<std::string> retransformed;
  std::atomic<int> live_global_references{0};
  std::atomic<int> live_weak_references{0};
  std::atomic<int> raw_monitors{0};       // that exist
  std::atomic<int> raw_monitor_waits{0};  // so far

  // For the implementations of JNI and JVMTI functions.
  static FakeJvm& Of(JNIEnv* jni) { return *static_cast<FakeJvm*>(jni->functions->reserved0); }
  static FakeEnvironment& Of(jvmtiEnv* env) {
    return *static_cast<FakeEnvironment*>(env->functions->reserved1);
  }
  // As HotSpot counts: for the class and all its subclasses.
  void CountRedefinition(const FakeClass& redefined);
  FakeClass* NoteDefined(const char* name, FakeObject* loader);
  jvmtiError AnswerOf(const std::string& call) const;
  jint Open(void** env, jint version);
  FakeObject* Call(FakeObject* receiver, jmethodID method, va_list arguments);
  FakeObject* StaticField(FakeClass* owner, const std::string& name, const std::string& descriptor);
  FakeMethod* Intern(const std::string& owner, const std::string& name,
                     const std::string& descriptor);
  std::vector<uint8_t> ThroughHooks(FakeClass* redefined, const std::string& name,
                                    FakeObject* loader, std::vector<uint8_t> bytes,
                                    bool can_retransform);
  std::vector<FakeClass*> classes() const;
  void RunThread(jvmtiEnv* env, jvmtiStartFunction run, void* argument);
  void Enable(FakeEnvironment& environment, jvmtiEvent event, bool is_on);

 private:
  void FillJni();
  static void FillJvmti(jvmtiInterface_1_& functions);
  template <typename Tell>
  void Each(jvmtiEvent event, Tell tell);

  JNIInvokeInterface_ vm_functions_{};
  JNINativeInterface_ jni_functions_{};
  JavaVM vm_{};
  JNIEnv jni_{};
  std::deque<FakeEnvironment> environments_;
  std::vector<std::unique_ptr<FakeObject>> objects_;
  std::vector<FakeClass*> classes_;
  std::map<std::string, std::unique_ptr<FakeMethod>> interned_;
  std::vector<std::thread> threads_;
  mutable std::recursive_mutex mutex_;  // agent threads create objects too
};

}  // namespace iprof::vm
