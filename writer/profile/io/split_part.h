// The part "split" of a profile's section "iprofagent": the whole stacks of the samples that are written in pieces, because
// an image build would otherwise prefer the callee that was sampled at a call to the classes that were counted there
// (image/sample_split.h).
//   "split": {"sites":1,"whole":[["9:4<7:31<2:12<1:5",40,0,2,2,4]]}
//
// Each element of "whole" is a stack as in the samples' table, its weight, and where each of its pieces begins and ends, as
// numbers of frames from the innermost one, 0, on. The example's table of samples has the pieces "9:4<7:31" and "2:12<1:5"
// with a weight of 40 more than the program's other stacks give them. "sites" is the number of calls at which stacks were cut.
//
// Guarantees: in memory, a profile's samples are whole: the reader puts pieces together (JoinPieces), so everybody but an
// image build sees whole stacks. A part that does not fit the table, because another program changed it, is ignored.
// WrittenStacks and JoinPieces are inverse, except for the order of stacks. Writing what was read gives the same bytes.
// Millions of frames may be in the stacks, so no function copies those that it need not return.
// Threads: any; pure functions. Failure: what is no part is nullopt; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

inline constexpr std::string_view kSplitPart = "split";

struct SampledStack {
  std::vector<Frame> frames;  // innermost first
  int64_t weight = 0;
  bool operator==(const SampledStack&) const = default;
};

// A stack whose frames are elsewhere.
struct StackView {
  std::span<const Frame> frames;
  int64_t weight = 0;
};

// Frames [from, to) of a stack.
struct StackPiece {
  size_t from = 0;
  size_t to = 0;
  bool operator==(const StackPiece&) const = default;
};

struct SplitStack {
  SampledStack whole;
  std::vector<StackPiece> pieces;
  bool operator==(const SplitStack&) const = default;
};

struct SplitPart {
  size_t sites = 0;
  std::vector<SplitStack> stacks;
  bool operator==(const SplitPart&) const = default;

  int64_t weight() const;
  // By how much the pieces' weights make the total of the table larger than that of the whole stacks.
  int64_t added() const;
  // For people: "34 of 431 stacks, with 12.3 % of the weight, at 5 calls". `stacks` and `all` are those of the profile.
  std::string Describe(size_t stacks, int64_t all) const;
  std::string ToJson(const Profile& profile) const;
  // `method_of` gives kNoMethod for an id that is not declared.
  static std::optional<SplitPart> Parse(std::string_view json,
                                        const std::function<MethodIndex(int64_t id)>& method_of);
  // Empty if the profile has none, or none that can be read.
  static SplitPart Of(const Profile& profile);
};

// Whether the text has the shape of the part.
bool IsSplitPart(std::string_view json);

// The whole stacks of a profile.
std::vector<SampledStack> StacksOf(const Profile& profile);

StackView ViewOf(const SampledStack& stack);
StackView ViewOf(const SampledStack& stack, const StackPiece& piece);

// What is written for them: stacks that are not split, in their order, then the pieces of the others. Equal ones are added up.
// The frames are those of `whole` and of `split`, which must stay.
std::vector<StackView> WrittenStacks(const std::vector<SampledStack>& whole,
                                     const SplitPart& split);

// The inverse. False, and nothing happens, if the table does not have the pieces.
bool JoinPieces(SplitPart split, std::vector<SampledStack>& stacks);

}  // namespace iprof
