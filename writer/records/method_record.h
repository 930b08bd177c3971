// Method records: all data that turns a counted method's counters into profile records without its
// class file, in some ten bytes.
//
// The agent keeps one for each counted method (ClassRecord::records). They are bytes without
// pointers, so that they are small, and valid in another process. A record is
//
//   version       1 byte, kMethodRecordVersion
//   method        varints: class, method, context, counter base
//   derivation    varints: counters; steps, each: operand count, operands
//   entry         varint: the value that counts the method's calls
//   certificate   kind and flags; varints: abrupt, thrown, disturbed values
//   branches      varints: each: bci (as difference), kind, successors: target bci, value
//   calls         varints: each: bci (as difference), callee, value
//
// and is sealed with a length and a checksum (sealed_bytes.h). Class, method, context and callee
// are numbers that only the caller understands. Context 0 means none.
//
// Guarantees: DecodeMethodRecord reads only its input and allocates at most a small multiple of it.
// kRecord means that the checksum is right and all values are in range, so Derive may use them.
// What was encoded decodes to an equal record. Other versions are refused.
// Threads: any; pure functions.
// Failure: decoding returns a SealStatus. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "writer/base/sealed_bytes.h"
#include "writer/records/derivation.h"

namespace iprof {

// SuccessorNumbers: numbers the targets of a branch, and maps each of its edges to one.
//
// The consumer identifies a successor by its bci alone. If one bci has several indices, it takes
// the last one and loses the counts of the others. So a profile has one record for each target,
// with the sum of the edges that lead there: both sides of an `if` that meet, or all keys of a
// switch that share a case. An index is the number of its target in order of first appearance.
//
// Guarantees: pure; takes O(n log n) time.
enum class BranchKind : uint8_t { kIf, kSwitch };

// `targets`: bcis; for an if {target, fall-through}; for a switch one per key, then the default's.
// *numbers gets the index of each edge's target. Returns the number of different targets.
uint32_t NumberSuccessors(std::span<const uint32_t> targets, std::vector<uint32_t>* numbers);

inline constexpr uint8_t kMethodRecordVersion = 3;

struct BranchSuccessor {
  uint32_t target;  // bci
  ValueId value;    // kNoValue: in code that never runs
  bool operator==(const BranchSuccessor&) const = default;
};

struct BranchSite {
  uint32_t bci;
  BranchKind kind;
  uint32_t successor_end;  // in MethodRecord::successors; begins where the previous site ends
  bool operator==(const BranchSite&) const = default;
};

// A call to a method whose entry counter may miss calls, because the compiler replaces intrinsics.
// The call was executed `value` times.
struct CallSite {
  uint32_t bci;
  uint32_t callee;
  ValueId value;
  bool operator==(const CallSite&) const = default;
};

struct MethodRecord {
  uint32_t klass = 0;
  uint32_t method = 0;
  uint32_t context = 0;
  uint32_t counter_base = 0;  // global number of counter 0; the others follow
  Derivation derivation;
  ValueId entry = 0;  // the number of calls
  Certificate certificate;
  std::vector<BranchSite> branches;  // ascending bci
  std::vector<BranchSuccessor> successors;
  std::vector<CallSite> calls;  // ascending bci

  void Clear();
  // If: target, fall-through. Switch: keys in key order, default last.
  std::span<const BranchSuccessor> SuccessorsOf(size_t branch) const;
  bool operator==(const MethodRecord&) const = default;
};

// Appends the record's bytes. Bcis must ascend.
void EncodeMethodRecord(const MethodRecord& record, std::vector<uint8_t>* out);

// kDamaged also if the contents make no sense. *consumed skips such a record if its length is
// plausible; it also skips a record of another version.
using MethodRecordStatus = SealStatus;

MethodRecordStatus DecodeMethodRecord(std::span<const uint8_t> bytes, MethodRecord* record,
                                      size_t* consumed);

}  // namespace iprof
