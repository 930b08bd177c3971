// OwnHarvest: writes HotSpot's own counters (MethodData) of this JVM into a sink, with the calls that they leave out
// estimated.
//
// Why: HotSpot counts branches, receivers and calls for its compilers anyway. Reading them costs the
// program nothing until a profile or a snapshot is written, and no class is changed.
//
// Guarantees: only reads, and a pointer that is stale fails a read instead of faulting. It runs no
// Java code, stops no thread and calls neither JNI nor JVMTI. It reads and fills in exact counts for at most
// kMostHarvestTime, and keeps no more than `most_bytes` of what it reads, the code of counted methods
// included. Where code does not fit, or the time is over behind the reading, such methods keep HotSpot's
// counts inside. Where it fails, the sink is as before.
// Threads: any, in any phase, one at a time. Failure: a sentence without a subject, to be put behind
// "this JVM"; std::bad_alloc.
#pragma once

#include <jni.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "agent/harvest/exact_counts.h"
#include "agent/settings/options.h"
#include "writer/base/lost_share.h"
#include "writer/base/status.h"
#include "writer/profile/model.h"
#include "writer/records/raw/record_sink.h"

namespace iprof::vm {

inline constexpr std::chrono::seconds kMostHarvestTime{20};

struct HarvestOrder {
  const Options& options;
  int target_jdk = 0;  // of the image build; 0: the JVM's
  uint64_t most_bytes = 0;
  double max_lost = kMostLostHarvest;  // a site that lost a larger share of its objects is left out
  // With source=both: whether a class (with slashes) is counted exactly. Null: none is.
  std::function<bool(std::string_view)> is_counted = {};
  // Where the exact counts at positions of the class file belong in the running code. Null: unknown.
  ToClassFile to_class_file = {};
  // Whether the program has ended: then the reading and filling in fail soon, so that the end need not wait for
  // them. Null: it does not matter, as for the profile that the end itself writes.
  std::function<bool()> has_ended = {};
};

// How much a harvest may keep of what it reads: as much as memory= says, or its default. The heap
// makes no difference, because nothing is kept in it. `used_bytes`: what the agent has of that already. Example: with
// memory=64m and 10 MiB used, 54 MiB.
uint64_t MostHarvestBytes(const Options& options, uint64_t used_bytes = 0);

// `counted`: has the counts of the classes that are counted exactly (is_counted); null: none are. Returns the paragraph that
// verbose=1 prints.
Result<std::string> WriteOwnHarvest(JavaVM* vm, const HarvestOrder& order, const Profile* counted,
                                    RecordSink& sink);

}  // namespace iprof::vm
