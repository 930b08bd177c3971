#include "writer/records/raw/raw_sink.h"

#include "writer/profile/io/agent_section.h"
#include "writer/records/raw/profile_sink.h"
#include "writer/records/raw/raw_harvest.h"

namespace iprof {

void RawSink::SetProbeCounts(ProbeCounts counts) {
  generation_.counters = counts.counters;
  generation_.pairs = counts.pairs;
  for (const auto& [method, frames] : counts.live_frames)
    live_frames_.emplace_back(live_methods_.emplace_back(method), frames);
  generation_.live_frames = live_frames_;
  generation_.estimated = std::move(counts.estimated);
}

void RawSink::SetExact(ProbeCounts counts) {
  exact_.emplace().AddStandardTypes();
  ProfileSink(*exact_).SetProbeCounts(std::move(counts));
}

void RawSink::AddHarvest(const ClassSource& classes, std::span<const uint64_t> counters,
                         const TypeCounts& types, const AssemblyOptions& options) {
  harvest_ = std::make_shared<RawHarvestBytes>();
  harvest_->bytes = EncodeRawHarvest(classes, counters, types, options);
}

void RawSink::SetPart(std::string_view name, std::string_view json) {
  if (name == kHarvestPart && harvest_ != nullptr) {
    harvest_->part = json;
  } else {
    parts_.emplace_back(name, json);
  }
}

RawPublication RawSink::Publish() {
  std::vector<RawPart> parts;
  for (const auto& [name, json] : parts_) parts.push_back({name, json});
  generation_.parts = parts;
  generation_.harvest = harvest_;
  return file_.Publish(generation_);
}

}  // namespace iprof
