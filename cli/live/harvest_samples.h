// HarvestSamples: the samples of a running program, for a harvest of it, which has none: recorded by the agent, or taken from a
// recording of Java Flight Recorder, which has allocations and waits for locks as well.
//
// Guarantees: the agent is loaded as 'iprof profile' does it (window_recording.h), records samples alone and changes no
// class and no compiled code, so HotSpot's counters are those of the program. The profile names methods as the image
// build that the harvest is for.
// Threads: one, which has HeldSignals. Failure: one sentence that names the process; also where the program ended, since
// its counters ended with it.
//
// Example: RecordSamples, then a harvest, then AddSamples: one profile with the harvest's counts and the window's stacks.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "cli/jvm/jvm_connection.h"
#include "cli/terminal/console.h"
#include "writer/base/status.h"
#include "writer/profile/image/image_target.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/model.h"

namespace iprof::cli {

struct SamplesOrder {
  pid_t pid = 0;
  std::chrono::milliseconds duration{0};
  ImageTarget target{};
  bool is_filtered = true;  // without what an image build cannot use
  jvm::AttachTimeouts timeouts;
};

struct RecordedSamples {
  Profile profile;
  std::chrono::milliseconds recorded{0};
  std::string jvm_version;  // of a recording: "17.0.15"
};

// Whether the order is one, before anything is done.
Status CheckSamples(const SamplesOrder& order);
// Whether it can be carried out now: the library is there, and an agent in the program is free and records samples alone.
Status CheckSampler(const SamplesOrder& order, Console& console);
Result<RecordedSamples> RecordSamples(const SamplesOrder& order, Console& console);

// Those of a recording: of the JVM's own target if there is none. Says what a user has to know of them, with `says_facts` also
// what is no problem.
struct RecordingChoice {
  std::string path;
  std::optional<ImageTarget> target;
  bool is_filtered = true;
  bool says_facts = true;
};
Result<RecordedSamples> SamplesOfRecording(const RecordingChoice& choice, Console& console);
// Whether a recording is of such a JVM: "17.0.15+6". True if it does not say.
bool IsOfJdk(const RecordedSamples& samples, const std::string& jdk_version);

// Adds the stacks, and what the sampler says of them; allocations and waits for locks. Adds to the run that it has them.
void AddSamples(const Profile& samples, Profile& harvest, RunNote& run);

}  // namespace iprof::cli
