// Counting: everything between the JVM's class loading and the counters, for
// one session.
//
// It owns a JVMTI environment of its own, so that its capabilities and
// callbacks are its own affair, and brings together the class-file hook, the
// instrumenter (agent/instrument), the chunks of counters (ChunkStore) and the
// agent's thread.
//
// Order of events, as the StartupPlan says:
//  - First bytecode: the hook from OnLoad; runtime classes and first chunks at
//  early VMStart; at
//    VMInit the chunks are initialised and the thread begins.
//  - Retransform: at VMInit runtime classes and chunks, then the hook, then
//  loaded classes are
//    retransformed in batches.
//  - Application: at VMInit runtime classes and chunks, then the hook, which
//  passes by the classes of
//    the boot and platform loaders.
//
// Why the environment cannot retransform where the hook is early: agents that
// cannot retransform see a class before those that can, in the order in which
// they were opened, so this one sees the class file's own bytes unless another
// agent was named before it on the command line. Positions in a profile must be
// those of the class file, so that then, and where counting starts late,
// ClassOrigin compares.
//
// Threads: the constructor and Start on the loading thread; the hook on any
// thread; AddTo on any attached thread in the live phase, VMDeath included;
// Stop on the loading thread or after Start; Close after Stop, not in a
// callback. Failure: a class or method that cannot be counted is left as it was
// and counted; nothing is thrown.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/instrument/class_instrumenter.h"
#include "agent/instrument/table/memory_budget.h"
#include "agent/vm/counting/chunk_store.h"
#include "agent/vm/counting/class_access.h"
#include "agent/vm/counting/class_filter.h"
#include "agent/vm/counting/class_origin.h"
#include "agent/vm/counting/counting_plan.h"
#include "agent/vm/counting/earlier_classes.h"
#include "agent/vm/counting/held_classes.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/names/class_watch.h"
#include "agent/vm/names/hidden_class_counting.h"
#include "agent/vm/names/proxy_names.h"
#include "agent/vm/settings/log.h"
#include "writer/base/status.h"
#include "writer/model/model.h"

namespace iprof::vm {

// What a session knows beside its own parts.
struct CountingContext {
  JavaVM* vm;
  Log& log;
  ProxyNames& proxies;
  ClassWatch& watch;
  instrument::MemoryBudget& budget;
};

// Where running instructions stand in the class files, as of a profile. It must not outlive its
// Counting.
class ClassFilePositions {
 public:
  ClassFilePositions(const instrument::ClassInstrumenter& instrumenter, const HiddenNames& names,
                     OriginOf origin_of)
      : instrumenter_(instrumenter), names_(names), origin_of_(std::move(origin_of)) {}

  // The class file's bci of a position in a running, rewritten method; nothing where another agent had
  // changed the method before.
  std::optional<Bci> OriginalBci(std::string_view class_descriptor, std::string_view name,
                                 std::string_view descriptor, Bci running) const;

 private:
  const instrument::ClassInstrumenter& instrumenter_;
  const HiddenNames& names_;
  const OriginOf origin_of_;
};

// What Counting added to a profile.
struct CountedProfile {
  instrument::AddedCounts added;
  ClassFilePositions positions;
};

class Counting final : public HiddenClassCounting {
 public:
  // `origin`: where other agents may change classes first, else null. All of
  // the context outlives this.
  Counting(const CountingContext& context, CountingPlan plan, std::unique_ptr<ClassOrigin> origin);
  ~Counting() override;
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  // Opens the environment and registers its callbacks; after an attach it also
  // counts the classes that are there, which takes seconds in a large program.
  Status Start();

  // Where the JVM starts with the agent; the first only where counting starts with the first bytecode.
  void OnVmStart(JNIEnv* jni);
  void OnVmInit(JNIEnv* jni);

  // No more work is begun: no further class is counted. Waits a little for the
  // agent's thread, for nothing else. At VMDeath, too. Classes that are counted
  // already go on counting, and AddTo still works.
  void Stop();

  // After Stop and the last AddTo, while the program goes on: disables the
  // events and ends all threads. True: no callback or thread is under way, so
  // that this can be destroyed. Never where java.lang.Object was given members,
  // which it must keep whenever it is redefined.
  bool Close();

  // Adds every instrumented class's types, methods and counts.
  CountedProfile AddTo(JNIEnv* jni, Profile& profile);

  bool InstrumentHidden(JNIEnv* jni, jobject loader, const HiddenClassBytes& input,
                        std::vector<uint8_t>* output,
                        std::optional<instrument::ClassId>* held) override;
  void HiddenClassDefined(JNIEnv* jni, jobject loader, jclass defined,
                          instrument::ClassId held) override;
  void HiddenClassNamed(JNIEnv* jni, jclass type, bool strong) override;

  // Whether the profile already knows this class's methods: by binary name with slashes.
  bool Knows(std::string_view internal_name) const { return instrumenter_.Knows(internal_name); }

  // The paragraph that verbose=1 prints at the end.
  std::string Report(const CountedProfile& counted) const;

 private:
  Status Register();
  // Empty where every class is known to be the class file's own.
  OriginOf Origins() const;
  bool IsOn() const { return on_.load(std::memory_order_acquire); }
  Status StartHook(JNIEnv* jni);
  void OnClassFile(JNIEnv* jni, jclass redefined, const ClassInLoader& type, jint* new_size,
                   unsigned char** new_bytes);
  void OnObject(std::span<const uint8_t> original, jint* new_size, unsigned char** new_bytes);
  bool Store(std::span<const uint8_t> bytes, jint* new_size, unsigned char** new_bytes);
  // `input.name` is the profile's name of the class that `type` describes.
  bool Instrument(JNIEnv* jni, const ClassInLoader& type, instrument::ClassBytes input,
                  const std::function<uint8_t*(size_t)>& output,
                  std::optional<instrument::ClassId>* held);
  void OnClassLoad(JNIEnv* jni, jclass klass);
  void OnClassPrepare(JNIEnv* jni, jclass klass);
  void CountEarlier(JNIEnv* jni);
  bool GoesOn(JNIEnv* jni, size_t classes);
  void WarnOfCap();
  void Work(JNIEnv* jni);

  static void JNICALL ClassLoad(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jclass klass);
  static void JNICALL ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined,
                                        jobject loader, const char* name, jobject domain, jint size,
                                        const unsigned char* bytes, jint* new_size,
                                        unsigned char** new_bytes);
  static void JNICALL ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jclass klass);

  JavaVM* const vm_;
  Log& log_;
  ProxyNames& proxies_;
  ClassWatch& watch_;
  instrument::MemoryBudget& budget_;
  const CountingPlan plan_;
  ClassFilter filter_;
  AgentThread thread_;
  ChunkStore store_;
  ClassAccess access_;
  instrument::ClassInstrumenter instrumenter_;
  HeldClasses held_;
  std::atomic<bool> on_{false};  // the hook does its work
  std::atomic<bool> cap_told_{false};
  // Held by a profile that is being made and by the unloading of classes, across calls to the JVM, in
  // which the thread may be suspended.
  std::timed_mutex unload_mutex_;
  const std::unique_ptr<ClassOrigin> origin_;  // null: what we see are the class files
  std::unique_ptr<EarlierClasses> earlier_;    // null where counting starts before any class
  JvmtiEnvironment environment_;               // last: it is closed before what its callbacks
                                               // use is destroyed
};

}  // namespace iprof::vm
