// HarvestReport: what `iprof harvest` prints about a harvest: the same lines, whoever read the counters.
//
// Guarantees: numbers are those of the profile's note. What only a harvest from outside knows, such as what
// reading cost, is left out where the JVM made the profile itself.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/harvest/harvested_program.h"
#include "cli/live/harvest_fresh.h"
#include "cli/live/harvest_process.h"
#include "cli/terminal/console.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/model.h"

namespace iprof::cli {

// What reading found, without the program itself, which is large.
struct ReadFacts {
  explicit ReadFacts(const ProcessHarvest& harvest);

  size_t classes = 0;
  size_t methods = 0;
  hotspot::HarvestCounts counts;
  int64_t read_us = 0;
};

struct HarvestReport {
  pid_t pid = 0;
  std::string core;  // if it is not a process
  std::string program;
  std::string jdk_version;
  HarvestNote note;
  std::optional<ReadFacts> read;     // nullopt: the JVM read its own counters
  const Profile* profile = nullptr;  // as it was written; null: only what the JVM offers
  std::optional<std::chrono::milliseconds>
      sampled;                       // how long samples were recorded; nullopt: not at all
  std::optional<FreshCounts> fresh;  // nullopt: all that HotSpot had counted
  std::string output;
  bool is_filtered = true;  // what an image build cannot use was left out of the profile

  // Of a profile without samples: what that means for a build, and what helps. Otherwise empty.
  std::string AboutSamples() const;
  void PrintText(Console& console) const;
  void PrintJson(Console& console) const;

 private:
  void PrintFacts(Console& console) const;
};

}  // namespace iprof::cli
