// ClassOrigin: whether the classes that we see are still those of the class files, if another agent
// may transform them before us.
//
// Positions in a profile are those of the class file. An agent that was named before ours gives us
// classes as it changed them. If that is possible, every class is compared with its class file,
// which its loader finds as a resource. A method with equal instructions keeps its positions;
// others lose them. Methods that the class file does not have belong to the other agent.
//
// Guarantees:
// - Never calls a loader in the class-file hook or on a thread of the program. A separate thread
//   does, so a loader that blocks costs only its own answer.
// - Classes of the JDK's own loaders cannot be unloaded, so they wait for Settle; then finding
//   their files is not counted. (Exception: the lookups for a profile that is requested while the
//   program runs are counted in later profiles.) Classes of other loaders are looked up soon after
//   they are loaded, because the loader may be unloaded; they are held weakly.
// - A class that could not be compared is not trusted: its calls stay, and its positions are
//   dropped. These are classes without a class file (generated at run time; transformers change
//   those too), classes whose loader is gone or throws, and classes for which the time was not
//   enough.
// Threads: Note on any thread in any phase, including the hook; Start once, at VMInit or later;
// Settle and Judge on the dumping thread.
// Failure: without memory or without the thread, no class is trusted.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/settings/log.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "writer/base/murmur3.h"
#include "writer/records/class_record.h"

namespace iprof::vm {

class ClassOrigin {
 public:
  // `certain`: another agent comes before ours. Otherwise one may still come, and classes are
  // looked up only after that.
  ClassOrigin(Log& log, bool certain);
  // Its thread must have ended.
  ~ClassOrigin() { Stop(std::chrono::seconds(10)); }
  ClassOrigin(const ClassOrigin&) = delete;
  ClassOrigin& operator=(const ClassOrigin&) = delete;

  // The object must live until its thread has ended, see Stop.
  Status Start(jvmtiEnv* jvmti, JNIEnv* jni);

  // Starts the thread again after Stop, but not after End.
  Status Resume(jvmtiEnv* jvmti, JNIEnv* jni) { return thread_.Start(jvmti, jni); }

  // `bytes` is what the hook was given.
  void Note(JNIEnv* jni, jobject loader, std::string_view name, std::span<const uint8_t> bytes);

  // Call it when this class was unloaded and nothing was counted in it.
  void Drop(std::string_view name, const Hash128& hash);

  // Looks up the remaining classes, for at most this long; none while the thread does not run.
  void Settle(std::chrono::milliseconds timeout);

  // Whether Judge may give another answer later.
  bool MayChange(const ClassRecord& klass) const;
  MethodOrigin Judge(const ClassRecord& klass, const CountedMethod& method) const;

  // A paragraph for verbose=1; empty if nothing was compared.
  std::string Report() const;

  // Stops looking up after the class at hand, and ends every Settle. Returns true if the thread has ended in time.
  bool Stop(std::chrono::milliseconds timeout);
  // The same for good.
  bool End(std::chrono::milliseconds timeout) {
    thread_.Retire();
    return Stop(timeout);
  }

 private:
  enum class State : uint8_t { kWaiting, kSame, kNoFile, kDiffers, kUnknown };
  struct Verdict {
    State state = State::kWaiting;
    OriginalClass original;  // if it differs
  };
  enum class Loader : uint8_t { kUnsorted, kBoot, kPlatform, kApplication };
  struct Waiting {
    std::string name;
    Hash128 hash;
    Loader loader = Loader::kUnsorted;
    jweak reference = nullptr;  // only if kUnsorted
  };
  struct Found {
    State state;
    std::vector<uint8_t> bytes;  // if kDiffers
  };

  Status LearnMethods(JNIEnv* jni);
  void Work(JNIEnv* jni);
  void Forget(JNIEnv* jni, std::vector<Waiting>& all);
  void PutBack(std::vector<Waiting>& taken, size_t done);
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
  bool settling_ = false;
  std::vector<Waiting> queue_;
  std::vector<Waiting> deferred_;  // classes of the JDK's loaders
  std::unordered_map<std::string, Verdict> verdicts_;
};

}  // namespace iprof::vm
