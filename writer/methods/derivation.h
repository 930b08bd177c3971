// Derivation: how a method's counts follow from its counters, without the class file.
//
// A method's values are numbered: 0 .. counter_count-1 are its counters; then one value per step,
// in order. A step adds and subtracts earlier values: the flow conservation of one basic block
// (what came in, less what left by other ways). So a derivation cannot be cyclic, is evaluated in
// one pass, and needs neither graph nor class bytes. It is made by the agent's placement and
// evaluated by whoever makes a profile of the counters.
//
// What the result is worth. Let the *imbalance* of a block be the number of times it was begun but
// left by none of its outgoing edges: an exception in its middle, or a frame that is still there.
// Every value v stands for an edge; the steps that v rests on are those of a connected set S of
// blocks that the edge enters or leaves, and each block's conservation is used in one step only.
//  - An edge leaving S is too large by, an edge entering S too small by, the sum of the imbalances
//    in S. Hence |error| <= k = the sum over all blocks used = abrupt leaves + live frames.
//  - Clamping a negative intermediate to 0 moves it towards the truth (counts are not negative), so
//    an edge entering S errs by less; by induction over the steps every error keeps its sign and
//    stays within the unclamped bound. Clamping never makes anything worse.
//  - In a placement where each block's uncounted edge is an outgoing one (arborescence), S is
//    always left, never entered: errors are never negative, and neither is any value.
//  - With every imbalance 0 all values are exact.
// An abrupt leave ends in a handler of the same method (its entry is counted) or unwinds the frame
// (a catch-any handler counts it). Sum these, subtract the counted athrow instructions (a way out
// that has its own edge, so no imbalance): that is k without live frames. See Certificate. Blocks
// whose conservation no step uses do not count: their imbalance disturbs nothing. So only handlers
// that catch what leaves a used block are summed.
// Increments lost to racing threads, and counters read while the program runs, are outside this
// bound; values stay non-negative through clamping, and clamps are counted.
//
// Pure functions over plain data: any thread. Bad data never reaches Derive(): the decoder of site
// records checks it (IsWellFormed).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iprof {

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;

// One summand of a step: value * 2, plus 1 where it is subtracted.
struct Operand {
  uint32_t bits;
  static Operand Plus(ValueId v) { return {v << 1}; }
  static Operand Minus(ValueId v) { return {(v << 1) | 1}; }
  ValueId value() const { return bits >> 1; }
  bool minus() const { return (bits & 1) != 0; }
  bool operator==(const Operand&) const = default;
};

struct Derivation {
  uint32_t counter_count = 0;
  std::vector<uint32_t> step_end;  // step s owns operands[step_end[s-1] .. step_end[s])
  std::vector<Operand> operands;

  uint32_t value_count() const { return counter_count + static_cast<uint32_t>(step_end.size()); }
  void Clear();
  bool operator==(const Derivation&) const = default;
};

// Steps refer to earlier values only, and the ends ascend to operands.size().
bool IsWellFormed(const Derivation& derivation);

// values.size() >= value_count(), and its first counter_count elements hold the counters; fills in
// the rest. Linear, allocates nothing. Returns the number of clamps: steps whose result was
// negative and became 0. Sums saturate at UINT64_MAX.
uint32_t Derive(const Derivation& derivation, std::span<uint64_t> values);

enum class Exactness : uint8_t {
  kExact,    // nothing derived, or nothing derived can go wrong but by live frames
  kBounded,  // within k, which the method's own counters give
  kUnknown,  // exceptions may leave unseen: k is only a lower estimate of the bound
};

// Which of a method's values make up k.
struct Certificate {
  Exactness kind = Exactness::kExact;
  bool live_frames_matter = false;  // false: every value is a counter of its own
  std::vector<ValueId> abrupt;      // handler entries, and the unwind counter if there is one
  std::vector<ValueId> thrown;      // counted athrow edges, to be subtracted
  std::vector<ValueId> disturbed;   // steps over a block that exceptions may leave, ascending

  void Clear();
  bool operator==(const Certificate&) const = default;
};

struct ErrorBound {
  Exactness kind;  // kExact: k is 0
  uint64_t k;
};

// touched[v] = 1 for each value that rests on a disturbed step: the others are exact whatever was
// thrown. touched.size() >= value_count(). Linear.
void FindTouched(const Derivation& derivation, const Certificate& certificate,
                 std::span<uint8_t> touched);

// The bound after a run. `live_frames`: activations of this method that had not ended at the dump,
// so far as the caller knows them.
ErrorBound BoundOf(const Certificate& certificate, std::span<const uint64_t> values,
                   uint64_t live_frames);

// Whether the shares of a branch that rests on disturbed steps can be told: each is off by at most
// k / executions, which must not be more than 1 %.
inline bool SharesHold(uint64_t executions, uint64_t k) { return k <= executions / 100; }

}  // namespace iprof
