// Counting: everything between the JVM's class loading and the counters, for one JVM.
//
// It owns a JVMTI environment of its own, so that its capabilities and callbacks are its own
// affair, and brings together the class-file hook, the instrumenter (agent/instrument), the chunks
// of counters and the agent's thread.
//
// Order of events, as the StartupPlan says:
//  - First bytecode: the hook from OnLoad; runtime classes and first chunks at early VMStart; at
//    VMInit the chunks are initialised and the thread begins.
//  - Retransform: at VMInit runtime classes and chunks, then the hook, then loaded classes are
//    retransformed in batches.
//  - Application: at VMInit runtime classes and chunks, then the hook, which passes by the classes of
//    the boot and platform loaders.
//
// Why the environment cannot retransform where the hook is early: agents that cannot retransform
// see a class before those that can, in the order in which they were opened, so this one sees the
// class file's own bytes unless another agent was named before it on the command line. Positions in
// a profile must be those of the class file, so that then, and where counting starts late,
// ClassOrigin compares.
//
// Threads: Create on the loading thread; the hook on any thread; AddTo on any attached thread in
// the live phase, VMDeath included. Failure: a class or method that cannot be counted is left as it
// was and counted; nothing is thrown.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/instrument/class_instrumenter.h"
#include "agent/instrument/counter_space.h"
#include "agent/instrument/memory_budget.h"
#include "agent/vm/counting/chunk_reach.h"
#include "agent/vm/counting/class_filter.h"
#include "agent/vm/counting/class_origin.h"
#include "agent/vm/counting/compiler_settings.h"
#include "agent/vm/counting/counter_chunks.h"
#include "agent/vm/counting/earlier_classes.h"
#include "agent/vm/counting/heap_plan.h"
#include "agent/vm/counting/startup_plan.h"
#include "agent/vm/counting/type_chunks.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "agent/vm/names/class_watch.h"
#include "agent/vm/names/proxy_names.h"
#include "agent/vm/settings/log.h"
#include "agent/vm/settings/options.h"
#include "writer/base/status.h"
#include "writer/model/model.h"

namespace iprof::vm {

// A hidden class before it is defined; the first name is the one in the bytes, both are internal.
struct HiddenClassBytes {
  std::string_view name;
  std::string_view profile_name;
  std::span<const uint8_t> bytes;
};

class Counting final {
 public:
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  // Opens the environment and registers its callbacks; after an attach it also counts the classes
  // that are there, which takes seconds in a large program. The result lives until the process ends,
  // as callbacks may come until then. Nothing is returned where the options ask for no counts.
  static Result<Counting*> Create(JavaVM* vm, const Options& options, Log& log, ProxyNames& proxies,
                                  ClassWatch& watch, instrument::MemoryBudget& budget,
                                  bool attached);

  // Adds every instrumented class's types, methods and counts.
  void AddTo(JNIEnv* jni, Profile& profile);

  // Counts a class that no hook sees. False: its bytes stay as they are. The class is held
  // afterwards, if `*held` says so, until HiddenClassDefined. Any thread.
  bool InstrumentHidden(JNIEnv* jni, jobject loader, const HiddenClassBytes& input,
                        std::vector<uint8_t>* output, std::optional<instrument::ClassId>* held);
  // What became of it: null where it was not defined with these bytes.
  void HiddenClassDefined(JNIEnv* jni, jobject loader, jclass defined, instrument::ClassId held);

  // A hidden class that was just defined and named; `strong`: it lives as long as its loader. Any
  // thread.
  void HiddenClassNamed(JNIEnv* jni, jclass type, bool strong) {
    if (count_types_) type_chunks_.HiddenDefined(jvmti_, jni, type, strong);
  }

  // Whether the profile already knows this class's methods: by binary name with slashes.
  bool Knows(std::string_view internal_name) const { return instrumenter_.Knows(internal_name); }

  // For samples: the class file's bci of a position in a running, rewritten method; nothing where
  // another agent had changed the method before. After an AddTo, which settles who changed what.
  std::optional<Bci> OriginalBci(std::string_view class_descriptor, std::string_view name,
                                 std::string_view descriptor, Bci running) const;

  // Whether the last AddTo left this method out as another agent's own.
  bool WasAdded(std::string_view internal_class_name, std::string_view name,
                std::string_view descriptor) const {
    return instrumenter_.WasAdded(internal_class_name, name, descriptor);
  }

  // The paragraph that verbose=1 prints at the end.
  std::string Report() const;

  // VMDeath, or a start that failed after all: no more work is begun. Waits a little for the thread,
  // for nothing else.
  void Stop();
  // After Stop, where the start failed: no callback comes any more but those under way.
  void StopEvents();

 private:
  Counting(jvmtiEnv* jvmti, const Options& options, const CompilerSettings& compilers,
           const HeapPlan& plan, Log& log, ProxyNames& proxies, ClassWatch& watch,
           instrument::MemoryBudget& budget);

  Status Register();
  // Empty where every class is known to be the class file's own.
  instrument::OriginOf Origins() const;
  void OnVmStart(JNIEnv* jni);
  void OnVmInit(JNIEnv* jni);
  Status StartHook(JNIEnv* jni);
  void OnClassFile(JNIEnv* jni, jclass redefined, const ClassInLoader& type, jint* new_size,
                   unsigned char** new_bytes);
  void OnObject(std::span<const uint8_t> original, jint* new_size, unsigned char** new_bytes);
  bool Store(std::span<const uint8_t> bytes, jint* new_size, unsigned char** new_bytes);
  // `input.name` is the profile's name of the class that `type` describes.
  bool InstrumentWithAccess(JNIEnv* jni, const ClassInLoader& type, instrument::ClassBytes input,
                            const std::function<uint8_t*(size_t)>& output,
                            std::optional<instrument::ClassId>* held);
  void CountEarlier(JNIEnv* jni);
  bool GoesOn(JNIEnv* jni);
  Status DefineEarly(JNIEnv* jni, uint32_t chunks, uint32_t site_chunks);
  Status FinishStart(JNIEnv* jni);
  void OnClassLoad(JNIEnv* jni, jclass klass);
  // The class is held for as long as this definition of it is loaded.
  void HoldWhileLoaded(jclass klass, instrument::ClassId held);
  void ReleaseGone(std::span<const UnloadTag> gone);
  // Gives back what unloaded classes had.
  void Unload(JNIEnv* jni);
  void DefineAhead(JNIEnv* jni);
  void ShareBudget();
  void WatchOrigins(const VmFlags& flags, bool attached);
  void WarnOfCap();
  void Work(JNIEnv* jni);

  static void JNICALL VmStart(jvmtiEnv* jvmti, JNIEnv* jni);
  static void JNICALL VmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);
  static void JNICALL ClassLoad(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jclass klass);
  static void JNICALL ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined,
                                        jobject loader, const char* name, jobject domain, jint size,
                                        const unsigned char* bytes, jint* new_size,
                                        unsigned char** new_bytes);
  static void JNICALL ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jclass klass);

  jvmtiEnv* const jvmti_;
  Log& log_;
  CountingStart start_ = CountingStart::kFirstBytecode;
  bool notes_lambdas_ = true;  // for LambdaNumbers; after an attach nobody names lambdas
  ClassFilter filter_;
  ProxyNames& proxies_;
  ChunkReach reach_;
  ClassWatch& watch_;
  instrument::MemoryBudget& budget_;
  const HeapPlan plan_;
  const uint64_t chunk_bytes_;
  instrument::CounterSpace space_;
  CounterChunks chunks_;
  const bool count_types_;  // classes at sites
  instrument::CounterSpace site_space_;
  TypeChunks type_chunks_;
  instrument::ClassInstrumenter instrumenter_;
  AgentThread thread_;
  std::chrono::steady_clock::time_point next_harvest_{};  // the thread's own
  std::atomic<bool> on_{false};                           // the hook does its work
  std::atomic<bool> cap_told_{false};
  // Classes left alone.
  std::atomic<uint64_t> too_early_{0};       // they came before reach_ was open
  std::atomic<uint64_t> for_reflection_{0};  // LoaderKind::kReflection
  // Held by a profile that is being made and by the unloading of classes, across calls to the JVM, in
  // which the thread may be suspended.
  std::timed_mutex unload_mutex_;
  std::mutex loaded_mutex_;  // guards loaded_
  // What the classes hold that may go; one that was redefined holds several.
  std::unordered_multimap<UnloadTag, instrument::ClassId> loaded_;
  std::unique_ptr<ClassOrigin> origin_;      // null: what we see are the class files
  std::unique_ptr<EarlierClasses> earlier_;  // null where counting starts before any class
};

}  // namespace iprof::vm
