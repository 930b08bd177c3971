// ProfileMerger and MergeFiles: many profiles added into one.
//
// Guarantees:
//  - Types are united by name, methods by (declaring type, name, signature), counts added per
//    (table, context): per outcome of a branch, per class. Sums saturate at INT64_MAX. Outcomes are
//    told apart by their bci, whatever index each input gives it (branch_outcomes.h), so that the
//    consumer's probabilities are those of the inputs, weighted by how often each saw the branch.
//  - The result depends on the multiset of inputs only: order, grouping, number of threads make no
//    difference to a byte of what is written (see merge_canonical.h). Weight n is the same as n
//    times the input.
//  - Unknown top-level keys, and the parts of our own, are united; where inputs disagree about one,
//    the text that sorts first is kept and the key is reported. The source lines of samples are
//    united line by line. (merge_extras.h)
//  - An input that cannot be read adds nothing at all, not even its first half.
//  - Memory: the merged model of each thread plus one input per thread; threads take inputs as they
//    go, so that the inputs are never in memory together.
//  - Out of memory in any of its threads ends the whole merge with std::bad_alloc in the caller's; no
//    other exception leaves. Where the system gives no thread, one that there is does the work.
// A ProfileMerger is used by one thread at a time. MergeFiles may run in several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writer/base/status.h"
#include "writer/io/source_lines.h"
#include "writer/model/model.h"
#include "writer/ops/merge_extras.h"

namespace iprof {

class ProfileMerger {
 public:
  // weight >= 1.
  void Add(const Profile& input, int64_t weight = 1);
  // As above; an input that comes first is taken over instead of copied.
  void Add(Profile&& input, int64_t weight = 1);
  // What another merger has gathered.
  void Add(ProfileMerger&& other);

  // The canonical result; the merger is empty afterwards, but for the keys below.
  Profile Finish();
  // Keys that inputs disagreed about, sorted; those of the last result where nothing was added since.
  std::vector<std::string> ConflictingKeys() const {
    return empty_ ? conflicting_keys_ : extras_.ConflictingKeys();
  }

 private:
  void AddEntries(const Profile& input, int64_t weight);

  Profile merged_;  // without extra keys
  bool empty_ = true;
  ExtraKeyMerger extras_;
  std::vector<std::string> conflicting_keys_;  // of the last Finish
};

struct MergeInput {
  std::string path;  // "-" is standard input
  int64_t weight = 1;
};

enum class FailureMode : uint8_t {
  kAny,   // one unreadable input fails the merge
  kAll,   // the merge fails only when no input can be read
  kWarn,  // never fails because of an input; may give an empty profile
};

struct MergeOptions {
  FailureMode failure_mode = FailureMode::kAny;
  unsigned threads = 0;  // 0: one per processor
  // Called with the number of inputs done; one call at a time, from any of the threads.
  std::function<void(size_t done, size_t total)> on_progress = {};
};

struct MergeFailure {
  std::string path;
  Status status;
};

struct MergeResult {
  Profile profile;
  size_t merged = 0;                   // inputs that are in the profile
  std::vector<MergeFailure> left_out;  // in the order of the inputs
  std::vector<std::string> conflicting_keys;
};

// Fails with the status of the first input (in the order given) that failed, as failure_mode says.
Result<MergeResult> MergeFiles(std::span<const MergeInput> inputs, const MergeOptions& options);

}  // namespace iprof
