// HarvestReport: what `iprof harvest` prints about a harvest: the same lines, whoever read the counters.
//
// Guarantees: numbers are those of the profile's note. What only a harvest from outside knows, such as what
// reading cost, is left out where the JVM made the profile itself.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <sys/types.h>

#include <string>

#include "cli/console.h"
#include "cli/harvest_process.h"
#include "writer/io/harvest_note.h"
#include "writer/model/model.h"

namespace iprof::cli {

struct HarvestReport {
  pid_t pid = 0;
  std::string core;  // if it is not a process
  std::string program;
  std::string jdk_version;
  HarvestNote note;
  const ProcessHarvest* read = nullptr;  // null: the JVM read its own counters
  const Profile* profile = nullptr;      // as it was written; null: only what the JVM offers
  std::string output;
  bool is_filtered = true;  // what an image build cannot use was left out of the profile

  void PrintText(Console& console) const;
  void PrintJson(Console& console) const;
};

}  // namespace iprof::cli
