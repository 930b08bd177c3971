// HarvestAttached: a harvest that the JVM's own process makes, for those who may attach to it but may not
// read its memory.
//
// Guarantees: where no agent is loaded, its library is loaded for this alone: it changes no class, and
// no thread, timer or callback of it is left. The library's code stays mapped in the process.
// Threads: one. Failure: one sentence that names the process.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "cli/jvm/jvm_connection.h"
#include "writer/base/lost_share.h"
#include "writer/base/status.h"
#include "writer/profile/model.h"

namespace iprof::cli {

struct AttachedHarvest {
  pid_t pid = 0;
  bool estimate = true;
  double max_lost = kMostLostHarvest;
  int naming_jdk = 0;  // of the image build; 0: the JVM's
};

// The profile has everything, also what an image build cannot use.
Result<Profile> HarvestAttached(const AttachedHarvest& wanted, const jvm::AttachTimeouts& timeouts);

}  // namespace iprof::cli
