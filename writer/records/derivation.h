// Derivation: how a method's counts follow from its counters, without the class file.
//
// A method's values are numbered: 0 .. counter_count-1 are its counters; then one value per step,
// in order. A step adds and subtracts earlier values: the flow conservation of one basic block
// (what came in, minus what left by other edges). So a derivation cannot be cyclic, is evaluated in
// one pass, and needs neither a graph nor class bytes. The agent's placement makes it, and the
// assembly of a profile evaluates it.
//
// How exact the result is. The *imbalance* of a block is how often it was entered but not left by
// one of its outgoing edges, because an exception occurred in its middle or because the frame is
// still live. Every value v stands for an edge. The steps from which v is computed belong to a
// connected set S of blocks, and the edge enters or leaves S. Each block is used in one step only.
//  - The error is the sum of the imbalances in S: the value of an edge that leaves S is too large
//    by it, and the value of an edge that enters S is too small by it. Let k be the sum over all
//    blocks that are used, which is the number of abrupt leaves and live frames. Then |error| <= k.
//  - A negative step is clamped to 0. This moves it towards the truth, because counts are not
//    negative. By induction over the steps, every error keeps its sign and stays within the bound.
//    So clamping never makes anything worse.
//  - If the placement leaves uncounted only outgoing edges, one for each block (an arborescence),
//    every edge leaves its S. Then errors are never negative, and neither is any value.
//  - With every imbalance 0 all values are exact.
// An abrupt leave ends in a handler of the same method, whose entry is counted, or unwinds the
// frame, which a catch-any handler counts. Without live frames, k is the sum of these, less the
// counted athrow instructions: they have an edge, so they cause no imbalance. See Certificate. Only
// handlers of blocks that a step uses are summed, because the imbalance of other blocks has no
// effect. This bound does not include increments that threads lose in races, or counters read while
// the program runs. Clamping keeps such values non-negative, and clamps are counted.
//
// Guarantees: pure functions over plain data. Derive requires a derivation for which IsWellFormed
// holds; the decoder of method records checks it.
// Threads: any.
// Failure: none. Copying a Derivation or a Certificate may throw std::bad_alloc; the functions
// allocate nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iprof {

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;

// One summand of a step: value * 2, plus 1 if it is subtracted.
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
  kExact,    // no derived value, or only live frames can make one wrong
  kBounded,  // within k, which follows from the method's own counters
  kUnknown,  // some exceptions are not counted: k is only a lower estimate of the bound
};

// The values of a method from which k is computed.
struct Certificate {
  Exactness kind = Exactness::kExact;
  bool live_frames_matter = false;  // false: every value is a counter
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

// Sets touched[v] = 1 for each value that depends on a disturbed step; exceptions do not affect the
// others. touched.size() >= value_count(). Linear.
void FindTouched(const Derivation& derivation, const Certificate& certificate,
                 std::span<uint8_t> touched);
// The same if all of touched is 0. Takes no time for counters that the derivation does not use.
void SpreadTouched(const Derivation& derivation, const Certificate& certificate,
                   std::span<uint8_t> touched);

// The bound after a run. `live_frames`: activations of this method that had not ended at the dump,
// as far as the caller knows.
ErrorBound BoundOf(const Certificate& certificate, std::span<const uint64_t> values,
                   uint64_t live_frames);

// Whether the shares of a branch that depends on disturbed steps are exact enough: each is off by
// at most k / executions, which must not exceed 1 %.
inline bool SharesHold(uint64_t executions, uint64_t k) { return k <= executions / 100; }

}  // namespace iprof
