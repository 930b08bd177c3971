// SurvivingFile: keeps what is recorded in a file that survives whatever ends the process, so that `iprof recover`
// finds it. There are two forms of it: the raw file (snapshots.h), and the partial profile (partial_profile.h)
// where a raw file would lack something.
//
// Guarantees: no failure of the file changes the program or its profile. After End no file is made, except where the
// last profile could not be written. A file that is there already is left as it is: it belongs to another JVM, or is
// what a killed one left behind.
// Threads: Start on an attached thread that may run Java code; Take, TakeIfBegun, Discard and Keep on
// any attached thread in the live phase, including VMDeath; the rest on any thread.
// Failure: Start returns a Status; the rest is logged and counted.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "writer/base/status.h"

namespace iprof::vm {

class SurvivingFile {
 public:
  struct Figures {
    std::string path;           // of the file; empty: there is none
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

  virtual ~SurvivingFile() = default;

  // The first snapshot comes after one period.
  virtual Status Start(jvmtiEnv* jvmti, JNIEnv* jni) = 0;
  // Ends the thread, until the next start. Returns true if it has ended.
  virtual bool Stop(std::chrono::milliseconds timeout) = 0;
  // The same for good: a thread that was started meanwhile takes no snapshots.
  virtual bool End(std::chrono::milliseconds timeout) = 0;

  // Where the next file is made; absolute. One that is there stays in use.
  virtual void SetPlace(const std::string& path) = 0;
  virtual std::string place() const = 0;

  // One more snapshot, on this thread. Does nothing after End: then the end of the
  // recording decides whether the file stays.
  virtual void Take(JNIEnv* jni) = 0;
  // Only if there is a file. No other thread may be making a profile.
  virtual void TakeIfBegun(JNIEnv* jni) = 0;
  // The profile has everything, or the user wants none: removes the file, unless the user wants to keep it.
  virtual void Discard(JNIEnv* jni) = 0;
  // Removes a file that has no snapshot from which a profile could be recovered.
  virtual void DiscardUseless() = 0;
  // The program ends, and no profile could be written: the file stays, with the last state if possible.
  virtual void Keep(JNIEnv* jni) = 0;

  virtual Figures figures() const = 0;
};

}  // namespace iprof::vm
