// RawSink: makes a generation of a raw file of what the sources of a recording write into it (record_sink.h).
//
// Example: RawSink sink(file, now_ns); each source writes; then sink.Publish().
//
// Guarantees: nothing is in the file before Publish, but the log's bytes. Without it, the last generation stays. If no
// source adds a harvest, the file keeps its last one.
// Threads: one. Failure: as RawWriter.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "writer/records/raw/record_sink.h"

namespace iprof {

class RawSink final : public RecordSink {
 public:
  // The file must outlive this object. `may_repeat`: see there.
  RawSink(RawWriter& file, int64_t time_ns, bool may_repeat = false)
      : file_(file), may_repeat_(may_repeat) {
    generation_.time_ns = time_ns;
    generation_.at_rest = true;
  }
  RawSink(const RawSink&) = delete;
  RawSink& operator=(const RawSink&) = delete;

  RawWriter* log() override { return &file_; }
  bool may_repeat() const override { return may_repeat_; }
  void SetProbeCounts(ProbeCounts counts) override;
  void SetContexts(const ContextSamples& samples) override {
    SetPart(kContextSamplesPart, EncodeContextSamples(samples));
  }
  void SetExact(ProbeCounts counts) override;
  const Profile* exact() const override { return exact_ ? &*exact_ : nullptr; }
  void AddHarvest(const ClassSource& classes, std::span<const uint64_t> counters,
                  const TypeCounts& types, const AssemblyOptions& options) override;
  void AddMethod(uint32_t number, const RawMethod& method) override {
    file_.AddMethod(number, method);
  }
  void AddStack(uint32_t number, std::span<const RawStackFrame> frames, bool cut) override {
    file_.AddStack(number, frames, cut);
  }
  void SetWeights(std::span<const uint64_t> weights) override { generation_.stacks = weights; }
  void SetPart(std::string_view name, std::string_view json) override;
  void NoteGoesOn() override { generation_.at_rest = false; }

  // What is counted belongs to this run.
  void SetRun(const RunId& run) { generation_.run = run; }
  RawPublication Publish();

 private:
  RawWriter& file_;
  const bool may_repeat_;
  RawGeneration generation_;
  std::vector<std::pair<std::string, std::string>> parts_;
  std::list<std::string> live_methods_;
  std::vector<std::pair<std::string_view, uint64_t>> live_frames_;
  std::shared_ptr<RawHarvestBytes> harvest_;
  std::optional<Profile> exact_;
};

}  // namespace iprof
