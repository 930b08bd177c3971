// Agent: the one profiling session of this JVM, from a successful load to the JVM's death.
//
// Why a single object: JVMTI callbacks carry no user pointer worth having across environments, and
// a JVM must not be profiled twice by one library. It is created once by Agent::Start (see load.h
// for what comes before) and never destroyed, not even where the start fails, because callbacks may
// still run then, and while the process ends.
//
// Threads and phases: Start runs on the loading thread, in the OnLoad or the live phase. The
// callbacks run wherever the JVM calls them. Profiles are written one at a time, on the thread that
// VMDeath or a request for a dump came to; the later one waits. Failure: nothing here ends the
// process or lets an exception out; problems are logged.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "agent/instrument/memory_budget.h"
#include "agent/vm/counting/counting.h"
#include "agent/vm/counting/hidden_classes.h"
#include "agent/vm/names/class_watch.h"
#include "agent/vm/names/proxy_names.h"
#include "agent/vm/sampling/sampling_session.h"
#include "agent/vm/session/counted_positions.h"
#include "agent/vm/settings/log.h"
#include "agent/vm/settings/options.h"
#include "writer/base/status.h"

namespace iprof::vm {

// Everything that is settled before the agent starts.
struct AgentSettings {
  Options options;
  std::string out_path;  // absolute
};

class Agent {
 public:
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // The running agent, or null before a successful Start. Any thread.
  static Agent* Current();

  // Registers with the JVM and becomes Current. Takes over the environment. On failure all that was
  // begun is stopped, no callback does anything any more, and there is no Current again. After an
  // attach the program may end meanwhile: that is no failure, but nothing is written.
  static Status Start(JavaVM* vm, jvmtiEnv* jvmti, AgentSettings settings, std::unique_ptr<Log> log,
                      bool attached);

  // JVMTI's DataDumpRequest, while the program runs. Comes to nothing before the live phase and after
  // the profile of the program's end, which holds everything.
  void OnDumpRequest(JNIEnv* jni);

  // JVMTI's VMDeath: the last moment in which classes have names.
  void OnVmDeath(JNIEnv* jni);

  Log& log() { return *log_; }
  const AgentSettings& settings() const { return settings_; }
  JavaVM* vm() const { return vm_; }
  jvmtiEnv* jvmti() const { return jvmti_; }

 private:
  enum class Phase : uint8_t {
    kStarting,
    kRunning,
    kOver,  // the start failed, or the program ended before it was through
  };

  Agent(JavaVM* vm, jvmtiEnv* jvmti, AgentSettings settings, std::unique_ptr<Log> log);
  Status Register(bool attached);
  void PlanMemory();
  bool IsOver() const { return phase_.load() == Phase::kOver; }
  // No more samples, no more classes counted. On the starting thread, or after the start.
  void StopAll();
  // After a failed start.
  void Abandon();
  // Writes the profile as of now and logs how it went. dump_mutex_ is held.
  void Dump(JNIEnv* jni);
  Status WriteProfile(JNIEnv* jni);

  JavaVM* vm_;
  jvmtiEnv* jvmti_;
  AgentSettings settings_;
  std::unique_ptr<Log> log_;
  const int target_jdk_;  // of the GraalVM that builds the image; 0: not known
  HiddenNames hidden_names_;
  ProxyNames proxies_{hidden_names_};
  instrument::MemoryBudget budget_;
  ClassWatch class_watch_;
  std::atomic<Phase> phase_{Phase::kStarting};
  std::atomic<Sampling*> sampling_{nullptr};  // null where nothing is sampled
  // The starting thread's until kRunning, unchanged from there on.
  UnloadWatch* watch_ = nullptr;               // null only before Register
  HiddenClasses* hidden_ = nullptr;            // null after an attach
  Counting* counting_ = nullptr;               // null where nothing is counted
  std::optional<CountedPositions> positions_;  // of counting_
  std::timed_mutex dump_mutex_;                // guards what follows, and writing
  bool ended_ = false;
};

}  // namespace iprof::vm
