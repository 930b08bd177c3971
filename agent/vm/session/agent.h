// Agent: the agent in this process, for the life of the process.
//
// Why a single object: one library must not profile a JVM twice, and a second load must reach the
// running session. The Agent holds one session at a time, and its LifeCycle decides what may
// happen. It is never destroyed, because callbacks may still run while the process ends.
//
// How a load works: the loading thread creates an Attempt, which keeps other loads out, then
// settles the options and checks (load.h), and then starts a session. If it gives up, the agent is
// as before.
//
// Guarantees: a session that was stopped or failed to start leaves no callback, timer or thread
// behind; what the JVM may still refer to is kept. The inserted probes stay in the classes and keep
// counting. Profiles are written one at a time, on the thread of the VMDeath, the request or the
// stop; a later one waits. No lock is held during a call to the JVM, except the one for writing
// profiles.
// Threads: loads on any loading thread, in the OnLoad or live phase; Stop on any attached thread in
// the live phase, not in a callback; the rest where the JVM calls it.
// Failure: nothing here ends the process or throws; problems are logged.
#pragma once

#include <jvmti.h>

#include <memory>
#include <mutex>
#include <vector>

#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/session/life_cycle.h"
#include "agent/vm/session/session.h"
#include "agent/vm/settings/log.h"
#include "writer/base/status.h"

namespace iprof::vm {

class Agent {
 public:
  // The agent of this process. Any thread.
  static Agent& Get();

  // For tests. A process has only one.
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // A load in progress. If it is destroyed before Start, the load is given up.
  class Attempt {
   public:
    // `event`: kLoad or kAttach.
    Attempt(Agent& agent, SessionEvent event);
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    bool is_legal() const { return taken_.is_legal; }
    // If it is not legal: why, for the user.
    std::string_view answer() const { return taken_.answer; }

    // Starts a session. On failure, everything that was started is stopped. After an attach the
    // program may end meanwhile; that is not a failure, but no profile is written.
    Status Start(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                 std::unique_ptr<Log> log);

   private:
    Agent& agent_;
    const SessionEvent event_;
    const LifeCycle::Taken taken_;
    bool is_settled_ = false;
  };

  // Ends the recording while the program runs, and writes its profile. On failure says why it is
  // not possible now.
  Status Stop(JNIEnv* jni);

  // The JVM's callbacks. Each may come in any state.
  void OnVmStart(JNIEnv* jni);
  void OnVmInit(JNIEnv* jni);
  // A request for a profile while the program runs.
  void OnDumpRequest(JNIEnv* jni);
  // The last moment at which classes have names.
  void OnVmDeath(JNIEnv* jni);
  // JVMTI is closed already, so this only writes to the log.
  void OnUnload();

  // The current session, or null. It lives as long as the returned pointer.
  std::shared_ptr<Session> session() const;
  SessionState state() const { return life_.state(); }

 private:
  Status StartSession(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                      std::unique_ptr<Log> log, bool running);
  Status Register(Session& session, bool running);
  void CleanUp(std::shared_ptr<Session> session);
  void Refuse(SessionEvent event, const LifeCycle::Taken& taken) const;

  static void JNICALL VmStart(jvmtiEnv* jvmti, JNIEnv* jni);
  static void JNICALL VmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);
  static void JNICALL VmDeath(jvmtiEnv* jvmti, JNIEnv* jni);
  static void JNICALL DataDumpRequest(jvmtiEnv* jvmti);

  LifeCycle life_;
  JavaVM* vm_ = nullptr;      // set before the first callback
  mutable std::mutex mutex_;  // guards session_ and kept_
  std::shared_ptr<Session> session_;
  std::vector<std::shared_ptr<Session>> kept_;  // stopped, but the JVM may still refer to them
  std::timed_mutex dump_mutex_;                 // held while a profile is written
};

}  // namespace iprof::vm
