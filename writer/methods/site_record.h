// Site records: everything that turns a counted method's counters into profile records, in tens of
// bytes, without its class file.
//
// The agent keeps one for each counted method (ClassRecord::records); bytes, not
// pointers, so that they are small, and mean the same in another process. A record is
//
//   version       1 byte, kSiteRecordVersion
//   method        varints: class, method, context, counter base
//   derivation    varints: counters; steps, each: operand count, operands
//   entry         varint: the value that counts the method's calls
//   certificate   kind and flags; varints: abrupt, thrown, disturbed values
//   branches      varints: each: bci (as difference), kind, successors: target bci, value
//   calls         varints: each: bci (as difference), callee, value
//
// and is sealed with a length and a checksum (sealed_bytes.h).
// Class, method, context and callee are numbers of the caller's registries; this file gives them no
// meaning. Context 0 = none.
//
// Guarantees: DecodeSiteRecord never reads outside its input, never allocates more than a small
// multiple of it, and returns kRecord only for a record whose checksum holds and whose values are
// all in range, so that Derive() may run on it. Decoding what was encoded gives the same record;
// other versions are refused by name. Pure functions: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "writer/base/sealed_bytes.h"
#include "writer/methods/derivation.h"
#include "writer/methods/successors.h"

namespace iprof {

inline constexpr uint8_t kSiteRecordVersion = 3;

struct BranchSuccessor {
  uint32_t target;  // bci
  ValueId value;    // kNoValue: in code that never runs
  bool operator==(const BranchSuccessor&) const = default;
};

struct BranchSite {
  uint32_t bci;
  BranchKind kind;
  uint32_t successor_end;  // in MethodRecord::successors; begins where the site before ends
  bool operator==(const BranchSite&) const = default;
};

// A call whose callee's entries may be missed (the compiler replaces intrinsics): it was executed
// `value` times.
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
  uint32_t counter_base = 0;  // global number of counter 0; the others follow it
  Derivation derivation;
  ValueId entry = 0;  // counts the calls
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
void EncodeSiteRecord(const MethodRecord& record, std::vector<uint8_t>* out);

// kDamaged also for contents that make no sense; *consumed skips such a record where its length is
// plausible, and one of another version.
using SiteRecordStatus = SealStatus;

SiteRecordStatus DecodeSiteRecord(std::span<const uint8_t> bytes, MethodRecord* record,
                                  size_t* consumed);

}  // namespace iprof
