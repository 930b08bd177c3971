// Stacks: what formats with stacks share: the distinct places of frames, and what a sample stands for.
//
// Guarantees: a place is a method and a source line; frames whose line the profile does not have
// share one place a method. Places are numbered from 0 in order of first appearance.
// Threads: one per object; SampleTimeOf any. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

struct FramePlace {
  MethodIndex method;
  int64_t line;  // 0: not known
};

class FramePlaces {
 public:
  // The profile must outlive the object and not change.
  explicit FramePlaces(const Profile& profile);

  size_t NumberOf(const Frame& frame);
  const std::vector<FramePlace>& places() const { return places_; }

 private:
  const Profile& profile_;
  std::unordered_map<uint64_t, size_t> by_position_;  // method and bci
  std::unordered_map<uint64_t, size_t> by_line_;      // method and line
  std::vector<FramePlace> places_;
};

// The time for which a sample of weight 1 stands.
struct SampleTime {
  std::string event;  // "cpu", "wall"
  int64_t interval_ns;
};
// Nullopt if the profile does not say it.
std::optional<SampleTime> SampleTimeOf(const Profile& profile);

}  // namespace iprof
