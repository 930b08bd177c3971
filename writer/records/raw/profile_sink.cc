#include "writer/records/raw/profile_sink.h"

#include <unordered_map>
#include <utility>

#include "writer/names/type_names.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/sampling_sum.h"
#include "writer/profile/sample_threads.h"
#include "writer/records/raw/run_counts.h"

namespace iprof {
namespace {

// From weights of samples, which count first intervals, to those of a profile.
WeightScale ScaleOfSamples(const Profile& profile) {
  const auto json = AgentPart(profile, kSamplingPart);
  const auto sum = json ? SamplingSum::Parse(*json) : std::nullopt;
  return sum ? sum->ScaleFromFirst() : WeightScale{};
}

}  // namespace

void ProfileSink::SetProbeCounts(ProbeCounts counts) {
  std::unordered_map<std::string_view, uint64_t> live;
  for (const auto& [method, frames] : counts.live_frames) live[method] += frames;
  const LiveFrameCount live_frames = [&](const MethodKey& key) -> uint64_t {
    const auto known = live.find(key.text());
    return known == live.end() ? 0 : known->second;
  };
  counted_ = AssembleProfile(*counts.classes,
                             {.counters = counts.counters,
                              .types = *counts.types,
                              .live_frames = live_frames,
                              .more_counters = counts.more_counters,
                              .first_seen = counts.first_seen,
                              .contexts = contexts_},
                             counts.options, profile_);
  counted_->NoteEstimated(std::move(counts.estimated));
  NoteEstimates(*counted_, profile_);
}

void ProfileSink::AddHarvest(const ClassSource& classes, std::span<const uint64_t> counters,
                             const TypeCounts& types, const AssemblyOptions& options) {
  const LiveFrameCount no_frames = [](const MethodKey&) { return uint64_t{0}; };
  sites_left_out_ +=
      AssembleProfile(classes, {counters, types, no_frames}, options, profile_).sites_left_out;
}

void ProfileSink::AddMethod(uint32_t number, const RawMethod& method) {
  if (methods_.size() <= number) methods_.resize(size_t{number} + 1);
  methods_[number] = {std::string(method.type), std::string(method.name),
                      std::string(method.descriptor)};
}

void ProfileSink::AddStack(uint32_t number, std::span<const RawStackFrame> frames, bool /*cut*/) {
  if (stacks_.size() <= number) stacks_.resize(size_t{number} + 1);
  stacks_[number] = {frames_.size(), frames.size()};
  frames_.insert(frames_.end(), frames.begin(), frames.end());
}

// kNoMethod if its descriptor is none.
MethodIndex ProfileSink::IndexOf(Method& method) {
  if (method.index) return *method.index;
  const auto types = SignatureOf(method.descriptor);
  if (method.type == kThreadType) {
    method.index = AddThread(profile_, method.name);
  } else if (!types || method.type.empty()) {
    method.index = kNoMethod;
  } else {
    std::vector<TypeIndex> signature{profile_.AddType(ToUtf8(method.type))};
    for (const std::string& type : *types) signature.push_back(profile_.AddType(ToUtf8(type)));
    method.index = profile_.AddMethod(ToUtf8(method.name), signature);
  }
  return *method.index;
}

void ProfileSink::SetWeights(std::span<const uint64_t> weights) {
  std::vector<Frame> frames;
  SampleEntries samples;
  for (size_t number = 0; number < std::min(weights.size(), stacks_.size()); ++number) {
    if (weights[number] == 0) continue;
    frames.clear();
    const Stack& stack = stacks_[number];
    for (const RawStackFrame& raw : std::span(frames_).subspan(stack.first_frame, stack.frames)) {
      if (raw.method >= methods_.size()) continue;
      const MethodIndex method = IndexOf(methods_[raw.method]);
      if (method == kNoMethod) continue;
      frames.push_back({method, raw.bci});
      profile_.notes().SetLine(method, raw.bci, raw.line);
    }
    if (!frames.empty()) samples.Add(profile_.AddContext(frames), weights[number]);
  }
  samples.WriteTo(profile_, ScaleOfSamples(profile_));
}

void ProfileSink::SetPart(std::string_view name, std::string_view json) {
  auto note = name == kHarvestPart ? HarvestNote::Parse(json) : std::nullopt;
  if (!note) return SetAgentPart(profile_, name, json);
  note->sites_left_out = SaturatingAdd(note->sites_left_out, static_cast<int64_t>(sites_left_out_));
  SetAgentPart(profile_, name, note->ToJson());
}

}  // namespace iprof
