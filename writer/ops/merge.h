// ProfileMerger and MergeFiles: add up many profiles.
//
// Guarantees:
//  - Types are united by name, methods by (declaring type, name, signature); counts are added per
//    (table, context), outcome of a branch, and class. Sums saturate at INT64_MAX. Outcomes are
//    identified by their bci, not by the index that an input gives them (branch_outcomes.h), so that the
//    consumer's probabilities are those of the inputs, weighted by how often each saw the branch.
//  - The result depends only on the multiset of inputs: order, grouping and number of threads do
//    not change a byte of the output (see merge_canonical.h). The counts and the sampler's
//    statistics of weight n are those of adding the input n times; notes of runs and snapshots are taken once.
//  - Where the code of a method differs, calls add up, and the positions of one version are kept
//    (method_versions.h). Where inputs are meant for different image builds, so is the result for
//    that of the newest input, or of those with the largest sum of counts (merge_extras.h).
//  - MergeFiles scales inputs whose counts are of different kinds, exact and estimated ones for
//    example, to the same total, and the samples of inputs with different intervals to CPU time
//    (count_scale.h). For this, grouping matters: what was merged before
//    counts as one input.
//  - Unknown top-level keys, and the parts of our own section, are united (merge_extras.h). If inputs
//    have different values for an unknown key, the text that sorts first is kept and the key is
//    reported.
//  - An input that cannot be read completely adds nothing. One that was found in a folder, and whose writer has only begun
//    (Code::kNothingYet), is left out in every failure mode, unless there is nothing else to merge.
//  - Memory: the merged model of each thread plus one input per thread, and standard input. Threads
//    take inputs one by one, so that the inputs are never all in memory. So inputs of different kinds,
//    or with samples of intervals that are not alike, are read twice: first for their totals. So are all if `choose` leaves one out.
//  - If the system refuses a thread, the existing threads do its work.
// Threads: one at a time per ProfileMerger; MergeFiles may run in several threads at once.
// Failure: a Status about the input that cannot be read. Out of memory in any thread ends the whole
// merge with std::bad_alloc in the caller's thread; nothing else is thrown.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writer/base/status.h"
#include "writer/ops/count_scale.h"
#include "writer/ops/input_runs.h"
#include "writer/ops/merge_extras.h"
#include "writer/ops/method_versions.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/source_lines.h"
#include "writer/profile/model.h"

namespace iprof {

class ProfileMerger {
 public:
  explicit ProfileMerger(PreferredVersion preferred = PreferredVersion::kHeaviest)
      : preferred_(preferred) {}

  // weight >= 1. Counts are scaled, and then multiplied by the weight.
  void Add(const Profile& input, int64_t weight = 1, CountScale scale = {});
  // Adds everything that another merger has added up.
  void Add(ProfileMerger&& other);

  // The canonical result. The merger is then empty, except for the keys below.
  Profile Finish();
  // Keys with different values in the inputs, sorted; those of the last result if nothing was
  // added since.
  std::vector<std::string> ConflictingKeys() const {
    return empty_ ? conflicting_keys_ : extras_.ConflictingKeys();
  }
  // The image builds that the inputs of the last result are meant for.
  const ImageChoice& image() const { return image_; }
  // Methods whose code differed, as the last Finish() found them.
  const VersionReport& versions() const { return versions_; }

 private:
  PreferredVersion preferred_;
  VersionedProfile merged_;  // without extra keys
  bool empty_ = true;
  ExtraKeyMerger extras_;
  std::vector<std::string> conflicting_keys_;  // of the last Finish()
  VersionReport versions_;                     // of the last Finish()
  ImageChoice image_;                          // of the last Finish()
};

struct MergeInput {
  std::string path;  // "-" is standard input
  int64_t weight = 1;
  bool is_found = false;  // in a folder; the user did not name it
};

enum class FailureMode : uint8_t {
  kAny,   // one unreadable input fails the merge
  kAll,   // the merge fails only when no input can be read
  kWarn,  // unreadable inputs never fail the merge; the result may be empty
};

struct MergeOptions {
  FailureMode failure_mode = FailureMode::kAny;
  PreferredVersion preferred = PreferredVersion::kHeaviest;
  unsigned threads = 0;  // 0: one per processor
  // How inputs are read; called in several threads. "-" is standard input.
  std::function<Result<Profile>(const std::string& path)> read = ReadProfileFile;
  // Called once, when all inputs have been read, with what each says of its runs. Returns the numbers of
  // inputs to leave out. They are no failures.
  std::function<std::vector<size_t>(std::span<const InputRuns> inputs)> choose = {};
  // Called with the number of finished inputs; one call at a time, from any of the threads. Starts
  // again if the inputs are read twice.
  std::function<void(size_t done, size_t total)> on_progress = {};
};

struct MergeFailure {
  std::string path;
  Status status;
  bool is_failure = true;  // false: it was found, and has nothing yet
};

struct MergeResult {
  Profile profile;
  size_t merged = 0;                   // number of inputs in the profile
  std::vector<MergeFailure> left_out;  // in the order of the inputs
  std::vector<std::string> conflicting_keys;
  VersionReport versions;
  ImageChoice image;
  bool scaled = false;  // the inputs' counts were of different kinds
  // One input of each program that the inputs seem to be of (program_groups.h).
  std::vector<std::string> programs;
};

// Depending on failure_mode, fails with the status of the first input (in the given order)
// that failed.
Result<MergeResult> MergeFiles(std::span<const MergeInput> inputs, const MergeOptions& options);

}  // namespace iprof
