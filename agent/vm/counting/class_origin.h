// ClassOrigin: whether the classes that we see are still the class files, where another agent's
// transformation may come before ours.
//
// Positions in a profile are those of the class file. An agent that was named before ours hands us
// classes as it changed them; where it may have, every class is compared with its class file, which
// its loader finds as a resource. Equal instructions keep a method's positions, others lose them,
// and methods that the class file does not have are the other agent's own.
//
// Guarantees:
//  - Never asks a loader inside the class-file hook, nor on a thread of the program: a thread of
//    its own does, so that a loader that blocks costs no more than its answer.
//  - Classes of the JDK's own loaders, which cannot be unloaded, wait for Settle, so that finding
//    their files is not counted (but for the lookups of a profile that was requested while the
//    program runs, which later profiles count). Those of other loaders are looked up soon after they load, because
//    the loader may go; they are held weakly.
//  - What could not be compared is not trusted: its calls stay, its positions go. That is a class
//    without a class file (made at run time: transformers change those too), or one whose loader is
//    gone or throws, or for which time was not enough.
//
// Threads: Note on any thread in any phase, the hook included; Start once, at VMInit or later;
// Settle and Judge on the dumping thread. Failure: without memory or thread nothing is trusted.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/settings/log.h"
#include "writer/base/murmur3.h"
#include "writer/methods/class_record.h"

namespace iprof::vm {

class ClassOrigin {
 public:
  // `certain`: another agent comes before ours. Otherwise one may come at any time, and classes are
  // looked up once one is there.
  ClassOrigin(Log& log, bool certain);
  // Its thread has ended by then.
  ~ClassOrigin() { Stop(std::chrono::seconds(10)); }
  ClassOrigin(const ClassOrigin&) = delete;
  ClassOrigin& operator=(const ClassOrigin&) = delete;

  // The object must live until its thread has ended, see Stop.
  Status Start(jvmtiEnv* jvmti, JNIEnv* jni);

  // The bytes are what the hook was given.
  void Note(JNIEnv* jni, jobject loader, std::string_view name, std::span<const uint8_t> bytes);

  // Nobody will ask for this class: it was unloaded, and nothing was counted in it.
  void Drop(std::string_view name, const Hash128& hash);

  // Looks up what is left, for so long at most.
  void Settle(std::chrono::milliseconds timeout);

  MethodOrigin Judge(const ClassRecord& klass, const CountedMethod& method) const;

  // Of verbose=1; empty where nothing was compared.
  std::string Report() const;

  // Looks up nothing more. True: the thread has ended.
  bool Stop(std::chrono::milliseconds timeout) { return thread_.Stop(timeout); }

 private:
  enum class State : uint8_t { kWaiting, kSame, kNoFile, kDiffers, kUnknown };
  struct Verdict {
    State state = State::kWaiting;
    OriginalClass original;  // where it differs
  };
  enum class Loader : uint8_t { kUnsorted, kBoot, kPlatform, kApplication };
  struct Waiting {
    std::string name;
    Hash128 hash;
    Loader loader = Loader::kUnsorted;
    jweak reference = nullptr;  // only where kUnsorted
  };
  struct Found {
    State state;
    std::vector<uint8_t> bytes;  // where kDiffers
  };

  Status LearnMethods(JNIEnv* jni);
  void Work(JNIEnv* jni);
  void Forget(JNIEnv* jni, std::vector<Waiting>& all);
  void LookUp(JNIEnv* jni, Waiting& waiting, bool settle);
  Found Read(JNIEnv* jni, jobject loader, const Waiting& waiting);
  static std::string KeyOf(std::string_view name, const Hash128& hash);
  bool Suspects();

  Log& log_;
  std::atomic<bool> suspects_;
  AgentThread thread_;

  // Set by Start.
  jobject platform_loader_ = nullptr;
  jobject application_loader_ = nullptr;
  jclass loader_class_ = nullptr;
  jmethodID resource_ = nullptr;
  jmethodID system_resource_ = nullptr;
  jmethodID read_all_ = nullptr;
  jmethodID close_ = nullptr;

  mutable std::mutex mutex_;
  std::condition_variable settled_;
  bool started_ = false;
  bool settling_ = false;
  std::vector<Waiting> queue_;
  std::vector<Waiting> deferred_;  // of the JDK's loaders
  std::unordered_map<std::string, Verdict> verdicts_;
};

}  // namespace iprof::vm
