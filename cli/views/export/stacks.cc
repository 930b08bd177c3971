#include "cli/views/export/stacks.h"

#include <algorithm>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/sampling_sum.h"

namespace iprof {
namespace {

uint64_t Key(MethodIndex method, uint32_t number) {
  return uint64_t{static_cast<uint32_t>(method)} << 32 | number;
}

}  // namespace

FramePlaces::FramePlaces(const Profile& profile) : profile_(profile) {}

size_t FramePlaces::NumberOf(const Frame& frame) {
  const auto [position, is_new_position] =
      by_position_.try_emplace(Key(frame.method, static_cast<uint32_t>(frame.bci)), 0);
  if (!is_new_position) return position->second;
  const int32_t line =
      std::max<int32_t>(profile_.notes().LineOf(frame.method, frame.bci).value_or(0), 0);
  const auto [place, is_new] =
      by_line_.try_emplace(Key(frame.method, static_cast<uint32_t>(line)), places_.size());
  if (is_new) places_.push_back({frame.method, line});
  position->second = place->second;
  return place->second;
}

std::optional<SampleTime> SampleTimeOf(const Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  const auto json = section.Part(kSamplingPart);
  const auto sampling = json ? SamplingSum::Parse(*json) : std::nullopt;
  if (!sampling) return std::nullopt;
  const auto [event, interval_ns] = sampling->Kind();
  return SampleTime{event, interval_ns};
}

}  // namespace iprof
