// AdviceFigures: what the rules of AdviseOn (advice.h) look at, added up once.
//
// Guarantees: pure. Example: of 100 hot methods 30 ran fewer than kEnoughExecutions times: seldom_run is 30.
// Threads: any. Failure: none but std::bad_alloc; what cannot be read counts as absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "writer/ops/hot_set.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/model.h"
#include "writer/profile/sureness.h"

namespace iprof {

struct AdviceFigures {
  explicit AdviceFigures(const Profile& profile);

  int64_t RecordedMs() const;
  // Of this, what lies in the first kStartUpMs of a JVM.
  int64_t StartingMs() const;
  // How often something was lost, over all runs.
  int64_t LossOf(std::string_view name) const;
  // Whether the program's main class belongs to the JDK, as that of javac does.
  bool IsProgramOfJdk() const;

  AgentSection section;
  std::vector<RunNote> runs;
  size_t older_runs = 0;
  std::optional<HarvestNote> harvest;
  MethodWeights weights;
  double weight = 0;  // calls and branches
  double jdk_weight = 0;
  size_t hot_methods = 0;
  size_t seldom_run = 0;  // of these
  double samples = 0;
  double thin_samples = 0;  // in methods with few
  int64_t signals = 0;
  double calls = 0;
  double estimated_calls = 0;  // or guessed
  DoubtfulCalls doubtful;

 private:
  void AddWeights(const Profile& profile);
  void AddSamples(const Profile& profile);
  void AddCalls(const Profile& profile);
};

}  // namespace iprof
