// Snapshots: keeps the recording's raw file up to date, from which `iprof recover` makes a profile if
// the process ends without writing one.
//
// Why a thread of its own: the agent's other thread may swap thousands of classes, which takes minutes in
// a large program, and it is not there when only samples are taken.
//
// The file is made at the first snapshot, and removed when its content is in a profile. If a file of
// its name exists, it belongs to another JVM or is what a killed JVM left behind, so it stays as it is,
// and this JVM's file has a number in its name.
//
// Guarantees: a file whose first snapshot fails is removed at once: nothing could be recovered from it,
// and the profile may need the room. So is a file that was to replace another one and could not be completed; the
// other one stays. The thread then tries less and less often. After Forbid no file is
// made, except by Keep, and by Discard where one is to be kept and a snapshot was due; so a stop that the
// program's end overtakes leaves none beside the profile. No failure of the file changes the program or
// the profile. It is logged once, and a later snapshot tries again. If the file was removed, moved or cut,
// another one is made; one that was moved stays as it is, and belongs to who moved it. If a new file is needed and
// another program's file has its name by then, the new one gets a number, too. No lock is held that a thread of the program
// waits for; other threads of the agent wait for one snapshot at most. Where memory is short, there is no file,
// because the profile is worth more. Where a snapshot takes much CPU time, because the whole program is read again, the
// thread takes them less often: they get a fiftieth of one processor and of the program's CPU time at most, and a kill loses as
// much more. But they are at most a minute apart with the usual period, if they take no more than a fiftieth of that. Those of the
// thread may repeat what recorders wrote before, where hardly anything was recorded since.
//
// Example: a snapshot took 0.1 s of CPU time. A program that uses a whole processor gets the next one after 5 s, one that gets a
// tenth of a processor after 50 s, and one that waits after 60 s.
//
// Threads: Start on an attached thread that may run Java code; Take, TakeIfBegun, Discard and Keep on
// any attached thread in the live phase, including VMDeath; Stop, Forbid, End, SetPlace, DiscardUseless, place
// and figures on any thread.
// Failure: Start returns a Status; the rest is logged and counted.
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

#include "agent/instrument/table/memory_budget.h"
#include "agent/settings/log.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/recorder/recorder.h"
#include "writer/base/status.h"
#include "writer/base/system_calls.h"
#include "writer/records/raw/raw_sink.h"

namespace iprof::vm {

// What the file has.
struct SnapshotContent {
  RawHeader header;
  std::vector<Recorder*> recorders;
  // Says of which run it is.
  std::function<void(RawSink& sink)> describe;
};

struct SnapshotSettings {
  std::string path;  // absolute
  std::chrono::milliseconds period{5000};
  uint64_t most_bytes = 0;
  bool keeps_file = false;  // also when its content is in a profile
};

class Snapshots final {
 public:
  struct Figures {
    std::string path;           // of the file; empty if there is no file
    std::string why_none;       // the last failure, if there is no file because of it
    bool has_snapshot = false;  // it has a complete one, so it can be recovered
    uint64_t snapshots = 0;
    uint64_t last_ms = 0;  // when the last one was taken; ms since 1970
    uint64_t file_bytes = 0;
    uint64_t failed = 0;        // snapshots that could not be written
    uint64_t skipped = 0;       // because a profile was being made
    uint64_t without_room = 0;  // classes, counters, stacks … that raw-max= keeps out
    uint64_t cpu_ns = 0;        // of all snapshots
    uint64_t last_cpu_ns = 0;
  };

  // Everything must outlive this object.
  Snapshots(SnapshotSettings settings, SnapshotContent content, Log& log,
            instrument::MemoryBudget& budget, SystemCalls& calls = SystemCalls::Real());
  ~Snapshots();
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

  // The first snapshot comes after one period.
  Status Start(jvmtiEnv* jvmti, JNIEnv* jni);
  // Ends the thread, until the next start. Returns true if it has ended.
  bool Stop(std::chrono::milliseconds timeout);
  // The recording ends: the thread gives up the snapshot that it is taking, and takes no other one. Waits for nothing.
  void Forbid() { has_ended_.store(true); }
  // Forbid, and a Stop for good.
  bool End(std::chrono::milliseconds timeout);

  // Where the file is made; absolute. One that is elsewhere stays in use until the next snapshot that is complete here.
  void SetPlace(const std::string& path);
  std::string place() const;

  // One more snapshot, on this thread. Does nothing after Forbid: then the end of the
  // recording decides whether the file stays.
  void Take(JNIEnv* jni);
  // Only if there is a file. No other thread may be making a profile.
  void TakeIfBegun(JNIEnv* jni);
  // The profile has everything, or the user wants none: removes the file. One that is to be kept gets the last state
  // instead, and is made if it is missing although a snapshot was due.
  void Discard(JNIEnv* jni);
  // Removes a file that has no snapshot from which a profile could be recovered.
  void DiscardUseless();
  // The program ends, and no profile could be written: the file stays, with the last state if possible.
  void Keep(JNIEnv* jni);

  // Each takes about as long as a profile. Waits for one that is being taken; true if that hangs.
  bool AreCostly();
  Figures figures() const;
  // Returns the CPU time of all snapshots, in ns.
  uint64_t AddTo(control::SessionStatus& status, bool is_stopped) const;

 private:
  enum class IfNone : uint8_t { kBegin, kNothing };
  void Work(JNIEnv* jni);
  enum class AfterEnd : uint8_t { kNothing, kTake };
  void TakeWithin(JNIEnv* jni, IfNone if_none, AfterEnd after_end);
  void TakeLocked(JNIEnv* jni);
  RawPublication PublishInSomeFile(JNIEnv* jni);
  LogSize LogSizes() const;
  void BeginLog();
  void EndLog();
  Status Write(JNIEnv* jni, RawSink& sink);
  Result<std::unique_ptr<RawWriter>> Create();
  void WarnOfName();
  bool Open();
  bool Move();
  bool BeginAnew();
  void Succeed(std::unique_ptr<RawWriter> next);
  void DropSuccessor();
  static bool IsLost(const RawPublication& done);
  bool Replace(const Status& why);
  RawPublication Publish(JNIEnv* jni);
  void NotePublication(const Status& written, const RawPublication& done, int64_t time_ns);
  bool IsWithoutSnapshot() const;
  void RemoveFiles();
  void Defer();
  void Close();
  // `consequence`: for the user, ends with "; "; empty: none.
  void Fail(const Status& why, std::string_view consequence = {});
  // The same with mutex_ held: a file without a snapshot is removed, and tried again less often.
  void FailLocked(const Status& why);
  void WarnOfRoom();
  std::string NameOf(int attempt) const;

  const SnapshotSettings settings_;
  std::string place_;  // changed with mutex_ and figures_mutex_ held
  const SnapshotContent content_;
  Log& log_;
  instrument::MemoryBudget& budget_;
  SystemCalls& calls_;
  std::timed_mutex mutex_;  // held during a snapshot; guards the members below
  std::unique_ptr<RawWriter> file_;
  std::unique_ptr<RawWriter> replaced_;  // what file_ will replace with its first snapshot
  std::string file_place_;               // place_ when file_ was made
  std::string moves_from_;  // the same of replaced_, if file_ is elsewhere; otherwise empty
  bool was_due_ = false;    // a snapshot
  bool is_whole_ = false;   // file_ has everything that recorders have given out
  bool on_thread_ = false;  // the snapshot is the thread's own
  std::atomic<bool> has_warned_of_failure_{false};
  bool has_warned_of_name_ = false;
  bool has_warned_of_room_ = false;
  bool has_warned_of_loss_ = false;
  std::chrono::steady_clock::time_point next_{};  // the thread does nothing before
  // Nor after a costly snapshot, before one of these: a time, and the process's CPU time.
  std::chrono::steady_clock::time_point rests_until_{};
  uint64_t next_cpu_ns_ = 0;
  int deferrals_ = 0;                     // files in a row that were removed
  std::atomic<bool> is_stopping_{false};  // the thread is
  std::atomic<bool> has_ended_{false};
  mutable std::mutex figures_mutex_;
  Figures figures_;
  AgentThread thread_;
};

}  // namespace iprof::vm
