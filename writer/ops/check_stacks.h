// StackSums: whether a file's table of samples has the pieces that its part "split" says (writer/profile/io/split_part.h).
//
// Example: the part has ["3:8<12:6<1:5",40,-1,1], so the table must have "3:0" with 40 or more. With 39 there, Check says
// "39 left of 3:0", because readers would ignore the part.
//
// Guarantees: pieces of several stacks are added up, as the reader does. Memory: about 50 bytes for each sample.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "writer/ops/check_contexts.h"
#include "writer/profile/io/profile_events.h"

namespace iprof {

class StackSums {
 public:
  using KeyOfFrames = std::function<ContextKey(std::span<const RawFrame> frames)>;
  using IsDeclared = std::function<bool(int64_t id)>;

  // An entry of the table.
  void Add(const ContextKey& key, int64_t weight);
  // What the part has that cannot be so; empty: nothing, or the text is no such part. The two predicates are for ids that
  // the file itself declares.
  std::string Check(std::string_view part, const KeyOfFrames& key_of, const IsDeclared& is_type,
                    const IsDeclared& is_method);

 private:
  std::unordered_map<ContextKey, int64_t, ContextKeyHash> weights_;
};

}  // namespace iprof
