// Stacks: what formats with stacks share: the text of frames, and their distinct places.
//
// Guarantees: a place is a method and a source line; frames whose line the profile does not have
// share one place a method. Places are numbered from 0 in order of first appearance.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

// The name of a frame's method on one line: control characters, and `also`, become \xNN.
std::string FrameText(std::string_view name, char also = '\n');

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

}  // namespace iprof
