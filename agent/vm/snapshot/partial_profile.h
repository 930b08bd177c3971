// PartialProfile: keeps a whole profile of what is recorded so far beside the profile of the end, where a raw file would
// lack something: the estimates of methods without probes, or HotSpot's own counters.
//
// Why not more often: a profile is made anew each time, which takes far more than a snapshot of the raw file.
//
// Example: out=app.iprof and a period of a minute. After a minute there is app.iprof.partial, and a minute later a newer
// one has its name. If the JVM is killed while it writes the third one, the second one is there. If app.iprof.partial
// was there before, of a JVM that was killed, this JVM's file is app.iprof.1.partial.
//
// Guarantees: the file is complete at any time; one that cannot be written leaves the one before as it is. It is logged
// once, and tried again, ever more rarely: each try fills the disk for a moment. A file with our name that we have not
// written is neither replaced nor removed. While nothing is recorded, none is written. It waits for no other profile,
// and no other one waits for it longer than it takes.
// Threads and failure: as SurvivingFile.
#pragma once

#include <jvmti.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/settings/log.h"
#include "agent/vm/snapshot/surviving_file.h"
#include "writer/base/status.h"

namespace iprof::vm {

struct PartialOrder {
  std::string path;
  uint64_t number = 0;                 // how many there were, with this one
  bool must_write = false;             // also if nothing was recorded since the last one
  std::function<bool()> is_over = {};  // the program ends: then give up soon
};

enum class PartialOutcome : uint8_t {
  kWritten,
  kUnchanged,  // nothing was recorded since the last one that was written
  kNothing,    // nothing was recorded at all, or the program ends
};

// Makes the profile and writes it, atomically. Called by one thread at a time, which has the turn.
using WritePartial = std::function<Result<PartialOutcome>(JNIEnv* jni, const PartialOrder& order)>;

struct PartialSettings {
  std::string path;  // absolute
  std::chrono::milliseconds period{
      60'000};  // from the beginning of one profile to that of the next, at most
};

class PartialProfile final : public SurvivingFile {
 public:
  // `turn` is held by whoever makes a profile. Everything must outlive this object.
  PartialProfile(PartialSettings settings, WritePartial write, std::timed_mutex& turn, Log& log);
  ~PartialProfile() override = default;
  PartialProfile(const PartialProfile&) = delete;
  PartialProfile& operator=(const PartialProfile&) = delete;

  Status Start(jvmtiEnv* jvmti, JNIEnv* jni) override;
  bool Stop(std::chrono::milliseconds timeout) override;
  bool End(std::chrono::milliseconds timeout) override;
  void SetPlace(const std::string& path) override;
  std::string place() const override;
  // The caller must not have the turn.
  void Take(JNIEnv* jni) override;
  // The caller has the turn. The file is removed if there is nothing to write any more.
  void TakeIfBegun(JNIEnv* jni) override;
  void Discard(JNIEnv* jni) override;
  // It always has a whole profile.
  void DiscardUseless() override {}
  // The last profile could not be written, so this one could not, either.
  void Keep(JNIEnv*) override {}
  Figures figures() const override;

 private:
  using FileId = std::pair<dev_t, ino_t>;
  enum class IfNothing : uint8_t { kKeep, kRemove };

  void Work(JNIEnv* jni);
  void WriteLocked(JNIEnv* jni, bool must_write, IfNothing if_nothing);
  bool IsOurs() const;
  bool FindName();
  void NoteWritten();
  void Remove();
  void Fail(const Status& why);
  // `periods`: until the next one, but for one look.
  void Await(int periods);
  void Defer();

  const PartialSettings settings_;
  const WritePartial write_;
  std::timed_mutex& turn_;
  Log& log_;
  std::timed_mutex mutex_;  // held while one is written, behind the turn; guards the members below
  std::string place_;       // of the next file; changed with mutex_ and figures_mutex_ held
  std::string path_;        // of the file; empty: there is none
  std::optional<FileId> id_;  // likewise
  uint64_t number_ = 0;
  int failures_ = 0;  // in a row
  bool has_warned_of_name_ = false;
  std::chrono::steady_clock::time_point next_{};  // the thread does nothing before
  std::atomic<bool> has_ended_{false};
  mutable std::mutex figures_mutex_;
  Figures figures_;
  AgentThread thread_;
};

}  // namespace iprof::vm
