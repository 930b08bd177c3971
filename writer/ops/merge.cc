#include "writer/ops/merge.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "writer/ops/merge_canonical.h"
#include "writer/ops/program_groups.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/format_version.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/run_note.h"

namespace iprof {
namespace {

// Calls work(i) for each i below count, in parallel as far as the system has threads. Returns when
// all calls have ended. Throws std::bad_alloc if one of them did.
void InParallel(size_t count, const std::function<void(size_t)>& work) {
  std::atomic<bool> out_of_memory = false;
  const auto run = [&](size_t i) {
    try {
      work(i);
    } catch (const std::bad_alloc&) {
      out_of_memory.store(true);
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  size_t next = 1;
  try {
    for (; next < count; ++next) threads.emplace_back(run, next);
  } catch (const std::system_error&) {  // no thread available,
  } catch (const std::bad_alloc&) {     // or no memory for one: the rest is done here
  }
  if (count != 0) run(0);
  for (; next < count; ++next) run(next);
  for (std::thread& thread : threads) thread.join();
  if (out_of_memory.load()) throw std::bad_alloc();
}

// For each input that cannot be read twice: what reading it gave.
using Kept = std::vector<std::optional<Result<Profile>>>;

// Standard input, a named pipe, the /dev/fd/N of a shell's <(…).
bool IsReadOnce(const std::string& path) {
  std::error_code ignored;
  return path == "-" || (std::filesystem::exists(path, ignored) &&
                         !std::filesystem::is_regular_file(path, ignored));
}

// A JVM that has just begun its raw file in the folder is no failure.
bool IsFailure(const MergeInput& input, const Status& status) {
  return !status.ok() && !(input.is_found && status.code() == Code::kNothingYet);
}

// The failure that ends the merge; null if it goes on. `all`: nothing is left to merge.
const MergeFailure* DecisiveFailure(const std::vector<MergeFailure>& left_out, FailureMode mode,
                                    bool all) {
  if (left_out.empty() || mode == FailureMode::kWarn) return nullptr;
  if (mode == FailureMode::kAny) {
    for (const MergeFailure& failure : left_out) {
      if (failure.is_failure) return &failure;
    }
  }
  return all ? &left_out.front() : nullptr;
}

// What the threads of one MergeFiles share.
class Worklist {
 public:
  // `kept` and `is_excluded` have an element for each input. `scales` has one for each input, or none.
  Worklist(std::span<const MergeInput> inputs, const MergeOptions& options, Kept& kept,
           std::span<const CountScale> scales, const std::vector<bool>& is_excluded)
      : inputs_(inputs),
        options_(options),
        kept_(kept),
        scales_(scales),
        is_excluded_(is_excluded),
        failures_(inputs.size()),
        facts_(inputs.size()),
        runs_(inputs.size()) {}

  // Runs on each thread. Inputs are assigned in order, so every input before a failed one is still
  // tried, and the reported failure is the first in the given order.
  void Run(ProfileMerger& merger) {
    try {
      while (!stop_.load(std::memory_order_relaxed)) {
        const size_t at = next_.fetch_add(1);
        if (at >= inputs_.size()) return;
        AddInput(at, merger);
      }
    } catch (const std::bad_alloc&) {
      stop_.store(true);
      throw;
    }
  }

  std::vector<MergeFailure> Failures() const {
    std::vector<MergeFailure> failures;
    for (size_t i = 0; i < failures_.size(); ++i) {
      if (!failures_[i].ok())
        failures.push_back({inputs_[i].path, failures_[i], IsFailure(inputs_[i], failures_[i])});
    }
    return failures;
  }
  std::span<CountFacts> facts() { return facts_; }
  std::span<const InputRuns> runs() const { return runs_; }
  std::vector<std::string> Programs() const {
    std::vector<std::string> programs;
    for (const size_t first : programs_.Firsts()) programs.push_back(inputs_[first].path);
    return programs;
  }

 private:
  void AddInput(size_t at, ProfileMerger& merger) {
    failures_[at] = TryToAdd(at, merger);
    if (IsFailure(inputs_[at], failures_[at]) && options_.failure_mode == FailureMode::kAny)
      stop_.store(true);
    const std::lock_guard lock(progress_lock_);
    ++done_;
    if (options_.on_progress) options_.on_progress(done_, inputs_.size());
  }

  Status TryToAdd(size_t at, ProfileMerger& merger) {
    if (is_excluded_[at]) return {};
    const std::string& path = inputs_[at].path;
    if (std::optional<Result<Profile>>& kept = kept_[at]) {
      if (!kept->ok()) return kept->status();
      Add(at, **kept, merger);
      return {};
    }
    const bool is_read_once = IsReadOnce(path);
    Result<Profile> read = options_.read(path);
    if (read.ok()) {
      facts_[at] = CountFactsOf(*read);
      facts_[at].copies = inputs_[at].weight;
      runs_[at] = InputRuns::Of(*read);
    }
    if (is_read_once) {
      kept_[at] = std::move(read);
      if (!kept_[at]->ok()) return kept_[at]->status();
      Add(at, **kept_[at], merger);
      return {};
    }
    if (!read.ok()) return read.status();
    Add(at, *read, merger);
    return {};
  }

  void Add(size_t at, const Profile& profile, ProfileMerger& merger) {
    merger.Add(profile, inputs_[at].weight, scales_.empty() ? CountScale() : scales_[at]);
    programs_.Add(at, profile);
  }

  std::span<const MergeInput> inputs_;
  const MergeOptions& options_;
  Kept& kept_;  // each element is used by the thread that has this input
  std::span<const CountScale> scales_;
  const std::vector<bool>& is_excluded_;
  // Each element is written by the thread that read the input.
  std::vector<Status> failures_;
  std::vector<CountFacts> facts_;
  std::vector<InputRuns> runs_;
  ProgramGroups programs_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex progress_lock_;
  size_t done_ = 0;
};

// Adds the second half to the first, pairs in parallel, until one is left.
void Reduce(std::vector<std::unique_ptr<ProfileMerger>>& mergers) {
  while (mergers.size() > 1) {
    const size_t pairs = mergers.size() / 2;
    const size_t kept = mergers.size() - pairs;
    InParallel(pairs, [&mergers, kept](size_t i) {
      mergers[i]->Add(std::move(*mergers[kept + i]));
      mergers[kept + i].reset();
    });
    mergers.resize(kept);
  }
}

}  // namespace

void ProfileMerger::Add(const Profile& input, int64_t weight, CountScale scale) {
  const int64_t newest_ms = RunList::Of(input).LastEndMs();
  WeightScale samples = scale.ForSamples();
  merged_.Add(
      input, newest_ms,
      [&](Table table, int64_t count) {
        const int64_t scaled = table == Table::kSamples
                                   ? static_cast<int64_t>(samples.Of(static_cast<uint64_t>(count)))
                                   : scale.Of(table, count);
        return SaturatingMultiply(scaled, weight);
      },
      weight);
  extras_.Add(input, weight, scale);
  empty_ = false;
}

void ProfileMerger::Add(ProfileMerger&& other) {
  if (other.empty_) return;
  extras_.Add(other.extras_);
  merged_.Add(std::move(other.merged_));
  empty_ = false;
}

Profile ProfileMerger::Finish() {
  Profile result = CanonicalProfile(merged_.Finish(preferred_, &versions_));
  image_ = extras_.ChooseImage(preferred_);
  extras_.WriteTo(result, preferred_);
  NoteCodeHashes(result);
  WritePositionNotes(result);
  conflicting_keys_ = extras_.ConflictingKeys();
  // The inputs may have several versions; the writer determines the version of the output.
  result.set_version(std::string(kFormatVersions.front()));
  extras_ = {};
  empty_ = true;
  return result;
}

Result<MergeResult> MergeFiles(std::span<const MergeInput> inputs, const MergeOptions& options) {
  const unsigned wanted =
      options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  const size_t thread_count = std::min<size_t>(wanted, std::max<size_t>(1, inputs.size()));
  Kept kept(inputs.size());
  std::vector<CountScale> scales;
  std::vector<bool> is_excluded(inputs.size());
  size_t excluded = 0;
  for (bool is_first = true;; is_first = false) {
    Worklist worklist(inputs, options, kept, scales, is_excluded);
    std::vector<std::unique_ptr<ProfileMerger>> mergers;
    for (size_t i = 0; i < thread_count; ++i) {
      mergers.push_back(std::make_unique<ProfileMerger>(options.preferred));
    }
    InParallel(thread_count, [&](size_t i) { worklist.Run(*mergers[i]); });

    MergeResult result;
    result.left_out = worklist.Failures();
    const bool has_none = result.left_out.size() + excluded == inputs.size();
    if (const MergeFailure* failure =
            DecisiveFailure(result.left_out, options.failure_mode, has_none))
      return failure->status;
    if (is_first) {
      if (options.choose) {
        for (const size_t at : options.choose(worklist.runs())) {
          is_excluded[at] = true;
          worklist.facts()[at] = {};
          ++excluded;
        }
      }
      scales = ScalesFor(worklist.facts());
      if (excluded > 0 || !scales.empty()) continue;  // once more, with scales, or with less
    }
    result.scaled =
        std::ranges::any_of(scales, [](const CountScale& scale) { return scale.scales_counts(); });
    result.programs = worklist.Programs();
    result.merged = inputs.size() - result.left_out.size() - excluded;
    Reduce(mergers);
    result.profile = mergers[0]->Finish();
    result.conflicting_keys = mergers[0]->ConflictingKeys();
    result.versions = mergers[0]->versions();
    result.image = mergers[0]->image();
    return result;
  }
}

}  // namespace iprof
