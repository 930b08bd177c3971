#include "agent/vm/session/session_source.h"

#include <optional>

#include "agent/vm/session/counted_positions.h"
#include "writer/io/agent_section.h"

namespace iprof::vm {

SessionSource::SessionSource(const Options& options, int target_jdk, Counting* counting,
                             std::function<Sampling*()> sampling, std::function<RunNote()> run)
    : options_(options),
      target_jdk_(target_jdk),
      counting_(counting),
      sampling_(std::move(sampling)),
      run_(std::move(run)) {}

RawHeader SessionSource::Header() {
  RawHeader header;
  header.agent_version = IPROF_VERSION;
  if (counting_ != nullptr) header.assembly = counting_->assembly_options();
  header.target_jdk = target_jdk_;
  header.image = options_.image;
  header.harvests = options_.Harvests();
  header.format = options_.format;
  return header;
}

void SessionSource::Begin() {
  if (counting_ != nullptr) counting_->BeginCopy();
  if (Sampling* const sampling = sampling_()) sampling->BeginCopy();
}

void SessionSource::End() {
  if (counting_ != nullptr) counting_->EndCopy();
  if (Sampling* const sampling = sampling_()) sampling->BeginCopy();
}

bool SessionSource::AddTo(JNIEnv* jni, RawWriter& file, RawGeneration* numbers) {
  parts_.clear();
  const RunNote run = run_();
  numbers->run = RunId::Parse(run.run);
  if (options_.provenance) {
    RunList runs;
    runs.Add(run);
    runs_ = runs.ToJson();
    parts_.push_back({kProvenancePart, runs_});
  }
  numbers->parts = parts_;
  Sampling* const sampling = sampling_();
  if (counting_ != nullptr) {
    std::optional<Counting::Numbers> counts = counting_->AddTo(jni, file);
    if (!counts) return false;
    live_frames_ = std::move(counts->live_frames);
    numbers->counters = counts->counters;
    numbers->pairs = counts->pairs;
    numbers->live_frames = live_frames_;
    numbers->at_rest = counts->at_rest;
  } else {
    numbers->at_rest = sampling == nullptr || !sampling->figures().is_running;
  }
  if (sampling == nullptr) return true;
  std::optional<ClassFilePositions> positions;
  std::optional<CountedPositions> bcis;
  if (counting_ != nullptr) bcis.emplace(positions.emplace(counting_->positions()));
  Sampling::Numbers samples = sampling->AddTo(jni, bcis ? &*bcis : nullptr, file);
  numbers->stacks = samples.weights;
  statistics_ = std::move(samples.statistics);
  if (!statistics_.empty()) parts_.push_back({kSamplingPart, statistics_});
  numbers->parts = parts_;
  return true;
}

bool SessionSource::HasOutgrown() const {
  return counting_ != nullptr && counting_->CopyHasOutgrown();
}

size_t SessionSource::expected_bytes() const {
  return counting_ == nullptr ? 0 : counting_->expected_copy_bytes();
}

size_t SessionSource::bytes() const {
  size_t bytes = counting_ == nullptr ? 0 : counting_->copy_bytes();
  if (const Sampling* const sampling = sampling_()) bytes += sampling->copy_bytes();
  return bytes;
}

}  // namespace iprof::vm
