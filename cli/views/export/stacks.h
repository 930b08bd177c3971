// Stacks: what formats with stacks share: the distinct places of frames.
//
// Guarantees: a place is a method and a source line; frames whose line the profile does not have
// share one place a method. Places are numbered from 0 in order of first appearance.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "writer/profile/io/source_lines.h"
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
  const SourceLines lines_;
  std::unordered_map<uint64_t, size_t> by_position_;  // method and bci
  std::unordered_map<uint64_t, size_t> by_line_;      // method and line
  std::vector<FramePlace> places_;
};

}  // namespace iprof
