// RecordedProfile: a profile of what a recording of Java Flight Recorder has: samples, allocations and waits for locks, and no
// counts.
//
// Samples are those of jdk.CPUTimeSample if there is one, else of jdk.ExecutionSample, because both see the same threads. With
// `native`, those of jdk.NativeMethodSample are added to the latter: they are of threads in native code, most of which wait.
// Each stands for its own period. If all have one period, a weight is a number of samples; otherwise weights are scaled so that
// they add up to the number of samples.
// Example: 300 samples at 20 ms and then 100 at 10 ms are 7 s. The interval is 17.5 ms, and the weights of the 300 make 343, those of
// the 100 make 57.
//
// Allocations are those of jdk.ObjectAllocationSample if there is one or it was on, else of jdk.ObjectAllocationInNewTLAB and
// …OutsideTLAB. Waits are those of jdk.JavaMonitorEnter, and of jdk.ThreadPark where a thread waited for a lock.
//
// Guarantees: memory is that of the profile, one chunk's constants and the file's window. Any bytes may be given. The same
// recording gives the same profile, with the same identity of its run; so do all dumps of one recording that begin with the
// same chunk.
// Threads: one. Failure: that of ForEachChunk: no chunk can be read, or the system fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jfr/recording_file.h"
#include "writer/base/status.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/model.h"

namespace iprof::jfr {

// What the provenance of such a profile calls its source.
inline constexpr std::string_view kJfrSource = "jfr";

struct RecordingFigures {
  std::string event;          // of the samples: "jdk.ExecutionSample"
  int64_t samples = 0;        // events
  int64_t native = 0;         // of these: jdk.NativeMethodSample
  int64_t without_stack = 0;  // of these: without a stack, or with none of its frames left
  int64_t truncated = 0;      // of these: whose stacks JFR cut off
  int64_t lost = 0;           // that JFR says it lost
  int64_t other_samples = 0;  // of the event that is not taken
  int64_t native_left_out = 0;
  int64_t interval_ns = 0;        // 0: no samples
  bool interval_is_known = true;  // false: it is JFR's default
  int64_t allocations = 0;        // events
  bool has_object_sizes = false;  // jdk.ObjectAllocationInNewTLAB and …OutsideTLAB
  int64_t waits = 0;              // events
  int64_t waits_for_work = 0;     // of jdk.ThreadPark: no locks
  int64_t truncated_events = 0;   // of allocations and waits
  int64_t unstable_frames =
      0;  // of distinct stacks: lambdas and proxies without a name that a build knows
  size_t chunks = 0;
  size_t chunks_left_out = 0;
  std::vector<std::string> problems;  // "the chunk at 1234 is damaged at 1300: …"
};

struct RecordedProfile {
  Profile profile;           // before FinishForImage
  RunNote run;               // without the program's name and the tool's version
  std::string java_command;  // the program and its arguments
  RecordingFigures figures;
};

struct RecordingOrder {
  bool native = false;
};

Result<RecordedProfile> ReadRecording(RecordingFile& file, const RecordingOrder& order = {});

}  // namespace iprof::jfr
