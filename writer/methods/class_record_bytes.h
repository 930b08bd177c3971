// ClassRecords and their counts as bytes, for a process that has neither the class files nor the
// JVM: to read what a killed JVM left behind, or to read a JVM while it runs.
//
// Both are sealed with a length and a checksum (sealed_bytes.h) and can follow each other in a
// file. Numbers are varints, texts have a length, [8] means eight bytes, little endian.
//
//   class      version, hash [8] [8], access, name, super class
//              callees; each: owner, name, descriptor, 1 where virtual
//              targets; each: owner, name
//              positions, lines, records: bytes
//              methods; each: name, descriptor, access, flags (kFlag… in the .cc)
//                with an effort of its own: step, budget
//                with something left out: everything, branches, all branches, sites, all sites
//                rewritten: code hash [8], offset in positions
//                with lines: offset in lines
//                with counters: counters, number of the first, offset in records
//                with sites: sites, number of the first
//              sites; each: method as difference, bci, number, kind, target
//   counts     version
//              counters that are not zero; each: number as difference, count
//              sites that met something; each: number as difference, lost objects, types; each: name, count
//              methods with live frames; each: MethodKey, how many
//
// Guarantees: decoding reads only its input and allocates at most a small multiple of it. kRecord
// means that everything is in range, so AssembleProfile may use it. What was encoded decodes to an
// equal record. Other versions are refused.
// Threads: any; pure functions.
// Failure: decoding returns a SealStatus. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/base/sealed_bytes.h"
#include "writer/methods/class_record.h"
#include "writer/methods/type_counts.h"

namespace iprof {

inline constexpr uint8_t kClassRecordVersion = 3;
inline constexpr uint8_t kRecordedCountsVersion = 1;

// Appends the record's bytes.
void EncodeClassRecord(const ClassRecord& record, std::vector<uint8_t>* out);

// *consumed is the number of bytes to skip; 0 if unknown. The record owns its texts.
SealStatus DecodeClassRecord(std::span<const uint8_t> bytes, ClassRecord* record, size_t* consumed);

// The name of a class whose record can be decoded. It is part of `bytes`.
std::string_view NameInClassRecord(std::span<const uint8_t> bytes);

// The counts at some point in time.
struct RecordedCounts {
  // The counters that are not zero: ascending CounterIndex, value.
  std::vector<std::pair<uint32_t, uint64_t>> counters;
  TypeCounts types;                             // by site number
  std::map<std::string, uint64_t> live_frames;  // by MethodKey; only methods with live frames

  void SetCounters(std::span<const uint64_t> values);
  // The values by CounterIndex, up to the last one that is not zero and below `end`. The size of
  // the result depends on numbers in the input, and `end` limits it.
  std::vector<uint64_t> CountersBelow(uint32_t end) const;

  uint64_t LiveFramesOf(const MethodKey& key) const {
    const auto found = live_frames.find(key.text());
    return found == live_frames.end() ? 0 : found->second;
  }
};

void EncodeRecordedCounts(const RecordedCounts& counts, std::vector<uint8_t>* out);
SealStatus DecodeRecordedCounts(std::span<const uint8_t> bytes, RecordedCounts* counts,
                                size_t* consumed);

}  // namespace iprof
