// Agent: the agent in this process, for as long as the process lives.
//
// Why a single object: a JVM must not be profiled twice by one library, and whoever loads it again must reach the session
// that runs. It holds one session at a time and decides by its LifeCycle what may happen. The Agent itself is never destroyed, because
// callbacks may still run while the process ends.
//
// How a load goes: the loading thread begins an Attempt, which keeps other loads out, settles the options and checks (load.h),
// and then starts a session; or gives up, which leaves the agent as it was.
//
// Guarantees: a session whose start failed or that was stopped leaves no callback, timer or thread behind; what the JVM may still
// refer to is kept. Profiles are written one at a time, on the thread that VMDeath, a request or a stop came to; the later one
// waits. No lock is held across a call to the JVM, but for the one under which profiles are written.
// Threads and phases: loads on any loading thread, in the OnLoad or the live phase; Stop on any attached thread in the live phase, not in
// a callback; the rest wherever the JVM calls. Failure: nothing here ends the process or lets an exception out; problems are logged.
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

  // For tests; a process has one.
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // A load under way. Gives up where it is destroyed before Start.
  class Attempt {
   public:
    // `event`: kLoad or kAttach.
    Attempt(Agent& agent, SessionEvent event);
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    bool is_legal() const { return taken_.is_legal; }
    // Where it is not: why, for the user.
    std::string_view answer() const { return taken_.answer; }

    // Starts a session. On failure all that was begun is stopped again. After an attach the program may end meanwhile: that is
    // no failure, but nothing is written.
    Status Start(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                 std::unique_ptr<Log> log);

   private:
    Agent& agent_;
    const SessionEvent event_;
    const LifeCycle::Taken taken_;
    bool is_settled_ = false;
  };

  // Ends the recording while the program runs, and writes its profile. A failure says why it is not possible now.
  Status Stop(JNIEnv* jni);

  // What the JVM tells; each in any state.
  void OnVmStart(JNIEnv* jni);
  void OnVmInit(JNIEnv* jni);
  // A request for a profile, while the program runs.
  void OnDumpRequest(JNIEnv* jni);
  // The last moment in which classes have names.
  void OnVmDeath(JNIEnv* jni);
  // JVMTI is closed by now, so only the log is told.
  void OnUnload();

  // The session of now, or null. It lives for as long as somebody holds it.
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
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<Session> session_;
  std::vector<std::shared_ptr<Session>> kept_;  // stopped, but the JVM may still refer to them
  std::timed_mutex dump_mutex_;                 // held while a profile is written
};

}  // namespace iprof::vm
