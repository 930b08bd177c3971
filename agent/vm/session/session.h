// Session: one recording, from its start to its last profile.
//
// Prepare requests from the JVM what it gives only while it starts. What else a recording needs is made when
// it begins, because most JVMs that wait for a start never get one.
//
// What is recorded comes from its recorders (recorder.h), which do not know each other. They share the memory budget, the
// watch for unloaded classes, and the names of lambdas and proxies. Example: with samples=y and source=both there are
// three: probes, samples and HotSpot's counters. A stop pauses them from the last to the first.
//
// Guarantees: nothing here ends the process or throws. LifeCycle decides what is legal when.
// Threads: Start and Prepare on the loading thread, in the OnLoad or live phase; Pause, Resume and
// Reset on an attached thread that may run Java code, one at a time; OnVmStart and OnVmInit in the
// JVM's callbacks of that name; EndThreads on any thread at any time; Stop on the starting
// thread, or on any thread once Start has returned; DumpTo on any attached thread in the live phase,
// one at a time; Close after the last profile.
// Failure: Start returns a Status; later problems are logged.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/instrument/table/memory_budget.h"
#include "agent/settings/log.h"
#include "agent/settings/options.h"
#include "agent/vm/classes/names/class_watch.h"
#include "agent/vm/classes/names/hidden_classes.h"
#include "agent/vm/classes/names/hidden_names.h"
#include "agent/vm/classes/names/proxy_names.h"
#include "agent/vm/classes/names/unload_watch.h"
#include "agent/vm/classes/refresher.h"
#include "agent/vm/jvmti/class_source.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/recorder/recorder.h"
#include "agent/vm/recorder/steps.h"
#include "agent/vm/session/dump/profile_files.h"
#include "agent/vm/session/dump/run_record.h"
#include "agent/vm/session/dump/snapshots.h"
#include "writer/base/status.h"
#include "writer/control/session_status.h"
#include "writer/profile/model.h"
#include "writer/records/raw/profile_sink.h"

namespace iprof::instrument {
class ProfileWeights;
}

namespace iprof::vm {

class Counting;
class EventStacks;
class HarvestRecorder;
struct CodeMeans;
// Where a profile goes: into a file, to a tool, or both. The file comes first.
struct ProfilePlace {
  std::string path = {};  // absolute; empty: no file
  NameOwner owner = NameOwner::kSession;
  ByteSink* sink = nullptr;  // null: it is not sent
  bool gzip = false;         // of what is sent
};

// Everything that is decided before a session starts.
struct SessionSettings {
  Options options;
  std::string out_path;       // as the user asked for it, absolute
  std::string raw_path = {};  // absolute; empty: beside the profile
};

class Session {
 public:
  Session(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
          std::unique_ptr<Log> log);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Lets code be compiled again for precise samples, by the refresher that `use` gives to its argument. Before Start.
  using UseRefresher = std::function<Status(JNIEnv*, const std::function<void(Refresher&)>& use)>;
  void RenewCodeBy(UseRefresher use) { use_refresher_ = std::move(use); }

  // `running`: the program is already running, so the recording begins at once. Gives up early when
  // `is_over` returns true. After a failure, call Stop and Close.
  Status Start(bool running, const std::function<bool()>& is_over);
  // Requests from the JVM what a later Resume needs, and records nothing.
  Status Prepare(bool running);

  // Whether OnVmStart must come before the first bytecode (JVMTI's early VMStart).
  bool WantsEarlyStart() const { return wants_early_start_; }
  void OnVmStart(JNIEnv* jni);
  void OnVmInit(JNIEnv* jni);

  // Records nothing new. Also called at VMDeath.
  void Stop();
  // Called while the program keeps running: removes all callbacks, timers and threads of the
  // session. Returns true if nothing refers to the session any more, so that it can be destroyed.
  bool Close();

  // While the program keeps running: stops recording, gives the classes their own code back, and ends
  // the session's timers and threads. What was recorded is kept. Returns what it did, for the user.
  std::string Pause(JNIEnv* jni);
  // After Prepare or Pause: recording begins or continues. Gives up early when `is_over` returns true.
  Status Resume(JNIEnv* jni, const std::function<bool()>& is_over);
  // Forgets what was recorded so far, and goes on.
  Status Reset(JNIEnv* jni, ResetScope scope);

  // --- The raw file.

  // One more snapshot, if there is such a file. Call it after a pause, without the turn. `profile_follows`: not if it
  // would take as long as that profile.
  void TakeSnapshot(JNIEnv* jni, bool profile_follows = false);
  // Whether the user has named the place of the raw file.
  bool HasUsersRaw() const { return !settings_.raw_path.empty(); }
  // Makes the raw file beside this file of a tool from the next snapshot on, unless the user has named another place.
  void PlaceRawBeside(const std::string& out);
  // The profile has everything, or the user wants none: removes the raw file.
  void DiscardRaw(JNIEnv* jni);
  // Removes a raw file from which nothing could be recovered, so that the profile has its room.
  void DiscardUselessRaw();
  // No profile could be written: keeps the raw file, and says where it is. Returns false if there is no raw file.
  bool KeepRaw(JNIEnv* jni);
  // Says where the raw file is, if a profile can be recovered from it, and returns whether it can. It may be called when the
  // JVM has ended.
  bool NameRaw();

  // --- The profile, and the end.

  // Whether there is or was anything to write a profile of.
  bool has_begun() const { return begun_.load() == Begun::kYes; }
  // At the program's end: false if the recording has begun; otherwise it never begins.
  bool GiveUpBegin();
  // What it does to the classes, or did.
  CodeChange changes_code() const;

  // At VMDeath, before everything else and before the last profile is written: what that needs and
  // what could wait for the JVM. It takes some seconds at most.
  void ReadyTheLastDump();
  // Makes the current profile once, writes and sends it, and logs the result. kUsage: nothing was recorded, so there is no
  // profile. `is_over` is for a profile that another one replaces once the program has ended: reading HotSpot's counters is
  // then given up, and with it the profile (kUsage). Null: never.
  struct Written {
    Status file;       // ok also if no file was wanted
    Status sent = {};  // ok also if none took it
    std::string path = {};
  };
  Written DumpTo(JNIEnv* jni, const ProfilePlace& place, const std::function<bool()>& is_over = {});
  // At VMDeath, after the last profile: ends the threads that are left. HotSpot's exit waits up to
  // 300 ms for threads in native code. It may run while another thread is in Start or Resume.
  void EndThreads();
  // After the last profile: shares it, and gives up its name. It may wait for other JVMs.
  void FinishFiles();
  // Gives up its name only, without waiting.
  void AbandonFiles() { files_.Release(); }

  // Once it has begun. Returns the CPU time that it took, in ns.
  uint64_t AddTo(control::SessionStatus& status, bool is_stopped) const;
  Steps& steps() { return steps_; }
  std::string out_path() const { return files_.out(); }

  // For the agent's own callbacks: the program's start and end, and dump requests.
  JvmtiEnvironment& environment() { return environment_; }
  Log& log() { return *log_; }
  const Options& options() const { return settings_.options; }

 private:
  using Recorders = std::vector<std::unique_ptr<Recorder>>;

  Status Equip();
  void PlanMemory();
  void PlanSnapshots();
  void StartSnapshots(JNIEnv* jni);
  Result<Counting*> AddCounting();
  void AddSampling(Counting* counting);
  void AddHarvest(Counting* counting);
  void AddEvents(Counting* counting);
  std::optional<CodeMeans> RenewalMeans();
  // Those that are complete: none before Equip has made all.
  const Recorders& recorders() const;
  Status Begin(JNIEnv* jni, const std::function<bool()>& is_over);
  Status BeginRecorders(JNIEnv* jni, const std::function<bool()>& is_over);
  void ReadyTheEnd(JNIEnv* jni);
  // A profile, and what to report about it.
  struct MadeProfile {
    Profile profile;
    std::optional<ProfileSink> sink;
    std::string image_summary;  // empty if nothing is left out for an image build
    std::string image_report;
    std::vector<std::string> unmatched;  // patterns of include= and exclude=
  };
  Status MakeProfile(JNIEnv* jni, const std::function<bool()>& is_over, MadeProfile& made);
  // As it is written: with its provenance, and for the image build.
  Result<std::unique_ptr<MadeProfile>> FinishProfile(JNIEnv* jni,
                                                     const std::function<bool()>& is_over);
  Result<std::string> WriteProfile(const MadeProfile& made, const ProfilePlace& place);
  Status SendProfile(const MadeProfile& made, const ProfilePlace& place);
  std::string Described(const MadeProfile& made) const;
  void LogFailure(const Status& why);
  // The run, without the exactness of its counts.
  RunNote DescribeRun() const;
  void DescribeRun(RawSink& sink) const;
  // What the user should know of a profile that was written.
  void LogFindings(const MadeProfile& made);
  void LogReport(const MadeProfile& made);

  JavaVM* const vm_;
  JvmtiEnvironment environment_;
  SessionSettings settings_;
  ProfileFiles files_;
  const std::unique_ptr<Log> log_;
  const int target_jdk_;  // the JDK of the image build; 0: unknown
  bool collector_ends_first_ = false;
  ClassSource classes_;
  instrument::MemoryBudget budget_;
  HiddenNames hidden_names_;
  UnloadWatch unload_watch_;
  ClassWatch class_watch_;
  ProxyNames proxies_;
  RunRecord run_;
  Steps steps_;
  bool wants_early_start_ = false;
  bool begins_late_ = true;  // while the program runs; by Start or, after Prepare, by Resume
  enum class Begun : uint8_t { kNo, kYes, kNever };
  std::atomic<Begun> begun_{Begun::kNo};
  // For Equip.
  JvmtiEnvironment counting_environment_;
  std::unique_ptr<const instrument::ProfileWeights> earlier_weights_;
  UseRefresher use_refresher_;
  std::unique_ptr<EventStacks> events_;  // null: no recorder has events
  // In the order in which they begin and write. Destroyed from the last to the first.
  Recorders recorders_;
  const HarvestRecorder* harvest_ = nullptr;  // one of them, if there is one
  std::atomic<bool> has_recorders_{false};    // all of them; from here on they stay
  std::unique_ptr<HiddenClasses> hidden_;     // null if the JVM does not show them
  std::unique_ptr<Snapshots> snapshots_;      // null if there is no raw file
  std::string why_no_raw_;                    // why; does not change once it has begun
};

}  // namespace iprof::vm
