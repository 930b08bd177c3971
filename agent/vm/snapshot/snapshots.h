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
// other one stays. The thread then tries less and less often. After End no file is
// made, except by Keep, and by Discard where one is to be kept and a snapshot was due; so a stop that the
// program's end overtakes leaves none beside the profile. No failure of the file changes the program or
// the profile. It is logged once, and a later snapshot tries again. If the file was removed, moved or cut,
// another one is made; one that was moved stays as it is, and belongs to who moved it. If it is written anew and
// another program's file has its name by then, it gets a number, too. No lock is held that a thread of the program
// waits for; other threads of the agent wait for one snapshot at most. Where memory is short, there is no file,
// because the profile is worth more.
// Threads: Start on an attached thread that may run Java code; Take, TakeIfBegun, Discard and Keep on
// any attached thread in the live phase, including VMDeath; Stop, End, SetPlace, DiscardUseless, place
// and figures on any thread.
// Failure: Start returns a Status; the rest is logged and counted.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/instrument/table/memory_budget.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/settings/log.h"
#include "agent/vm/snapshot/surviving_file.h"
#include "writer/base/status.h"
#include "writer/base/system_calls.h"
#include "writer/raw/raw_writer.h"

namespace iprof::vm {

// What is recorded. Called by one thread at a time.
class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;
  virtual RawHeader Header() = 0;
  // From now on a new file is filled, or none any more.
  virtual void Begin() = 0;
  virtual void End() = 0;
  // Adds what the file lacks, and reads the numbers, which are valid until the next call. Returns false if
  // that is not possible now.
  virtual bool AddTo(JNIEnv* jni, RawWriter& file, RawGeneration* numbers) = 0;
  // Whether a new file would be much smaller, because this one describes much that is gone.
  virtual bool HasOutgrown() const = 0;
  virtual size_t bytes() const = 0;
  // What bytes() will be soon after Begin.
  virtual size_t expected_bytes() const = 0;
};

struct SnapshotSettings {
  std::string path;  // absolute
  std::chrono::milliseconds period{5000};
  uint64_t most_bytes = 0;
  bool keeps_file = false;  // also when its content is in a profile
};

class Snapshots final : public SurvivingFile {
 public:
  // Everything must outlive this object.
  Snapshots(SnapshotSettings settings, SnapshotSource& source, Log& log,
            instrument::MemoryBudget& budget, SystemCalls& calls = SystemCalls::Real());
  ~Snapshots() override;
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

  Status Start(jvmtiEnv* jvmti, JNIEnv* jni) override;
  bool Stop(std::chrono::milliseconds timeout) override;
  bool End(std::chrono::milliseconds timeout) override;
  void SetPlace(const std::string& path) override;
  std::string place() const override;
  void Take(JNIEnv* jni) override;
  void TakeIfBegun(JNIEnv* jni) override;
  // One that is to be kept gets the last state instead, and is made if it is missing although a snapshot was due.
  void Discard(JNIEnv* jni) override;
  void DiscardUseless() override;
  void Keep(JNIEnv* jni) override;
  Figures figures() const override;

 private:
  enum class IfNone : uint8_t { kBegin, kNothing };
  void Work(JNIEnv* jni);
  enum class AfterEnd : uint8_t { kNothing, kTake };
  void TakeWithin(JNIEnv* jni, IfNone if_none, AfterEnd after_end);
  void TakeLocked(JNIEnv* jni);
  RawPublication PublishInSomeFile(JNIEnv* jni);
  bool Open();
  bool BeginAnew();
  void DropSuccessor();
  static bool IsLost(const RawPublication& done);
  bool Replace(const Status& why);
  RawPublication Publish(JNIEnv* jni);
  void NotePublication(bool is_complete, const RawPublication& done, const RawGeneration& numbers);
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
  std::string place_;  // of the next file; changed with mutex_ and figures_mutex_ held
  SnapshotSource& source_;
  Log& log_;
  instrument::MemoryBudget& budget_;
  SystemCalls& calls_;
  std::timed_mutex mutex_;  // held during a snapshot; guards the members below
  std::unique_ptr<RawWriter> file_;
  std::unique_ptr<RawWriter> replaced_;  // what file_ will replace with its first snapshot
  bool was_due_ = false;                 // a snapshot
  bool is_whole_ = false;                // file_ has everything that the source has given out
  std::atomic<bool> has_warned_of_failure_{false};
  bool has_warned_of_name_ = false;
  bool has_warned_of_room_ = false;
  bool has_warned_of_loss_ = false;
  std::chrono::steady_clock::time_point next_{};  // the thread does nothing before
  int deferrals_ = 0;                             // files in a row that were removed
  std::atomic<bool> has_ended_{false};
  mutable std::mutex figures_mutex_;
  Figures figures_;
  AgentThread thread_;
};

}  // namespace iprof::vm
