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
// behind; what the JVM may still refer to is kept. Classes that the JVM cannot change keep their
// probes. Profiles are written one at a time, on the thread of the VMDeath or of the request; a later
// one waits, but not for ever. No lock is held during a call to the JVM, except the one for writing profiles
// and the one for refreshes. If the agent is loaded when the JVM starts, commands wait for the end of OnVmInit.
// Threads: loads on any loading thread, in the OnLoad or live phase; HearCall and Describe on any thread;
// Execute, Start, Stop, Reset and Dump on any attached thread in the live phase, not in a callback;
// the rest where the JVM calls it.
// Failure: nothing here ends the process or throws; problems are logged.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings/log.h"
#include "agent/settings/out_claim.h"
#include "agent/vm/classes/refresher.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/session/control/caller.h"
#include "agent/vm/session/control/command_runner.h"
#include "agent/vm/session/control/control_socket.h"
#include "agent/vm/session/life_cycle.h"
#include "agent/vm/session/session.h"
#include "writer/base/status.h"
#include "writer/control/answer.h"
#include "writer/control/command.h"
#include "writer/control/session_status.h"
#include "writer/profile/model.h"

namespace iprof::vm {

class Agent {
 public:
  // The agent of this process. Any thread.
  static Agent& Get();

  // Far longer than writing a profile takes.
  static constexpr std::chrono::seconds kPatience{60};

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
    // program may end during the start; that is not a failure, but no profile is written: see HasEndedUnbegun.
    Status Start(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                 std::unique_ptr<Log> log);

   private:
    Agent& agent_;
    const SessionEvent event_;
    const LifeCycle::Taken taken_;
    bool is_settled_ = false;
  };

  // A tool calls from this socket: connects to it, and queues the command that the tool gives. Any thread, before or
  // after a load. On failure the tool hears nothing.
  Status HearCall(JavaVM* vm, const std::string& socket);
  // Runs a command, on the thread that CommandRunner has for it.
  control::Answer Execute(JNIEnv* jni, const control::Command& command,
                          const std::shared_ptr<Caller>& caller = nullptr);

  // Stops the recording while the program runs, and says what was done. What was recorded is kept: a
  // dump, a start or the program's end finds it. On failure says why it is not possible now.
  // `profile_follows`: the caller writes one next. If that fails, it must take a snapshot.
  Result<std::string> Stop(JNIEnv* jni, bool profile_follows = false);
  // Begins to record, or continues after a stop. On failure says why it is not possible now. Returns the recording's
  // file; it has another name if another JVM writes that file. `caller`: hears of the program's end if the wish says so.
  Result<std::string> Start(JNIEnv* jni, const control::Start& wish = {},
                            const std::shared_ptr<Caller>& caller = nullptr);
  // Forgets what was recorded so far, or only the samples.
  Status Reset(JNIEnv* jni, bool only_samples = false);
  // Writes a profile to the file that is wished, or to the recording's file; or sends it to the caller, and waits until
  // that has saved it. Returns a message for the user: "wrote FILE", or nothing if it was sent. What a caller has not saved
  // stays in the agent. `patience`: how long it may wait for the profile before it.
  Result<std::string> Dump(JNIEnv* jni, const control::ProfileWish& wish = {},
                           Caller* caller = nullptr,
                           std::chrono::milliseconds patience = kPatience);
  // Writes or sends HotSpot's own counters as a profile, whether the agent runs or not. Returns as Dump.
  Result<std::string> Harvest(JNIEnv* jni, const control::Harvest& wish, Caller* caller);
  // Lets HotSpot profile the hot classes again, whether the agent runs or not. Returns a message for the user.
  Result<std::string> Refresh(JNIEnv* jni, const control::Refresh& wish);
  control::SessionStatus Describe() const;

  // The JVM's callbacks. Each may come in any state.
  void OnVmStart(JNIEnv* jni);
  void OnVmInit(JNIEnv* jni, jthread thread);
  // The JVM's data dump request: a command that a tool has left, or a profile while the program runs.
  void OnDataDump(JNIEnv* jni);
  void OnDumpRequest(JNIEnv* jni);
  // The last moment at which classes have names.
  void OnVmDeath(JNIEnv* jni);
  // JVMTI is closed already, so this only writes to the log.
  void OnUnload();
  // The process has called exit(3). Usually VMDeath came before; it does not if native code ends the process.
  void OnProcessExit();

  // The current session, or null. It lives as long as the returned pointer.
  std::shared_ptr<Session> session() const;
  SessionState state() const { return life_.state(); }
  // The program has ended, and nothing was recorded: its end has overtaken the load, or no start came.
  bool HasEndedUnbegun() const;

 private:
  Status StartSession(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                      std::unique_ptr<Log> log, bool running);
  Status Register(Session& session, bool running);
  void CleanUp(std::shared_ptr<Session> session, bool running);
  control::Answer CarryOut(JNIEnv* jni, const control::Start& wish,
                           const std::shared_ptr<Caller>& caller);
  control::Answer CarryOut(JNIEnv* jni, const control::Stop& wish,
                           const std::shared_ptr<Caller>& caller);
  control::Answer CarryOut(JNIEnv* jni, const control::Wish& wish,
                           const std::shared_ptr<Caller>& caller);
  CommandRunner& Commands(JavaVM* vm);
  void ReleaseCommands();
  Status OpenSocket(const Options& options);
  Status ServeSocket();
  // With refresh_mutex_ held.
  Result<Refresher*> TheRefresher(JNIEnv* jni);
  Status UseRefresher(JNIEnv* jni, const std::function<void(Refresher&)>& use);
  // HotSpot's own counters of this JVM. On failure says why they are not those of the program's code.
  Status WhyNotOwnCode(bool refreshes) const;
  Result<Profile> OwnCounters(JNIEnv* jni, const control::Harvest& wish);
  void Schedule(const Session& session);
  void StopAfter(std::chrono::nanoseconds time);
  static Status StillWriting();  // the failure of who waited too long for dump_mutex_
  // Where a profile goes whose command names no file.
  std::string OutPath() const;
  // Whether that is a file of the user, and not one in the folder of a tool.
  bool HasUsersFile(const Session& session) const {
    return !session.options().out_is_tools || own_is_users_;
  }
  // Writes the program's last profile, sends it to the window's caller, and removes the raw file if one of them has all of
  // it. If neither has, and there is no raw file, the profile goes to the folder of a tool. False: it is lost but for the raw
  // file.
  bool WriteLastProfile(JNIEnv* jni, Session& session);
  // Null: no caller. The one before hears no more.
  void SetWindow(std::shared_ptr<Caller> window, bool wants_gzip = false);
  // The caller that records until the program ends, if it is still there.
  std::shared_ptr<Caller> TakeWindow();
  // A new recording with this file of its own. Returns the file of the one before.
  OutClaim BeginRecording(OutClaim out);
  // The program's end, or a failed start: no file is written from now on.
  void FinishFiles(Session& session);
  // On a thread whose start the program's end has overtaken: ends what the end could not see. Threads that the last
  // profile needs are left to the end.
  void StopUnbegun(Session& session);
  // On such a thread, too: gives up the names that it took after the end.
  // If the recording had begun, the end itself writes the last profile and finishes the files.
  void FinishUnbegun(Session& session);
  // The program's last profile, at VMDeath.
  void WriteLast(JNIEnv* jni, Session& session, SessionState from);
  // The profile of this recording, which was stopped, is in its place.
  void NoteWritten(JNIEnv* jni, Session& session, uint64_t recording);
  // The same when a caller says so. By then something else may be recorded.
  void NoteSaved(JNIEnv* jni, Session& session, uint64_t recording);
  void CloseCommands();
  bool HasEnded() const { return life_.state() == SessionState::kEnded; }
  void Refuse(SessionEvent event, const LifeCycle::Taken& taken) const;
  // Of a start: that and why the program's end will write no profile; empty: it will.
  std::string WhyNoFile(const control::Start& wish) const;
  // Says that the program is ending instead of the failure, or before the failure of a stop.
  void RefuseAtTheEnd(const control::Wish& wish, control::Answer& answer) const;

  static void JNICALL VmStart(jvmtiEnv* jvmti, JNIEnv* jni);
  static void JNICALL VmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);
  static void JNICALL VmDeath(jvmtiEnv* jvmti, JNIEnv* jni);
  static void JNICALL DataDumpRequest(jvmtiEnv* jvmti);

  LifeCycle life_;
  JavaVM* vm_ = nullptr;                     // set before the first callback
  bool is_attached_ = false;                 // the program ran before the agent; set as vm_
  std::atomic<bool> is_initialized_{false};  // VMInit has come, so a program may have begun
  mutable std::mutex mutex_;                 // guards the members below
  std::shared_ptr<CommandRunner> commands_;  // null until a command can come
  std::unique_ptr<ControlSocket> socket_;
  std::shared_ptr<Session> session_;
  OutClaim recording_out_;                 // the recording's own file; empty: the session's
  std::atomic<bool> own_is_users_{false};  // recording_out_ is a file that a user has named
  // Who wants the profile if the program ends before it is in its place; null: no caller.
  std::shared_ptr<Caller> window_;
  bool window_wants_gzip_ = false;
  std::vector<std::shared_ptr<Session>> kept_;  // stopped, but the JVM may still refer to them
  // The number of the recording, and of the last one that was written after its stop: the program's end need
  // not write that again.
  std::atomic<uint64_t> recording_{1};
  std::atomic<uint64_t> written_{0};
  std::timed_mutex dump_mutex_;           // held while counters are read, and a profile is written
  std::mutex refresh_mutex_;              // held while it swaps, and guards refresher_
  std::unique_ptr<Refresher> refresher_;  // null until it is needed
};

}  // namespace iprof::vm
