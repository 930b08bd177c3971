// RawRecords: the records of a raw file's log, and its tail, as bytes (raw_format.h).
//
// Guarantees: each function returns one sealed record. What ReadRawRecords reads is what was encoded;
// a record that makes no sense is counted and changes nothing. Reading takes time and memory in
// proportion to the bytes: numbers of pairs and stacks are below those that have counts.
//
// Receivers: where a pair's count or record is damaged, a site lacks a type, and the others would seem to be all that
// there are. If the site is known, it gets no types. If only the number of objects is, every site may have lost so many;
// those for which that is more than AssemblyOptions::max_lost get no types. If neither is known, no site gets any.
//
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/base/sealed_bytes.h"
#include "writer/records/class_record.h"
#include "writer/records/raw/raw_format.h"
#include "writer/records/raw/raw_reader.h"
#include "writer/records/raw/raw_writer.h"
#include "writer/records/unloaded_counts.h"

namespace iprof {

using RawRecord = std::vector<uint8_t>;

RawRecord EncodeRawClass(uint32_t number, const ClassRecord& record);
RawRecord EncodeRawUnloaded(uint32_t number, const UnloadedCounts& counts);
RawRecord EncodeRawForgotten();
RawRecord EncodeRawType(std::string_view owner, std::string_view name,
                        std::span<const std::pair<std::string, std::string>> methods);
RawRecord EncodeRawPair(uint32_t number, uint32_t site, std::string_view type);
RawRecord EncodeRawMethod(uint32_t number, const RawMethod& method);
RawRecord EncodeRawStack(uint32_t number, std::span<const RawStackFrame> frames, bool cut);
RawRecord EncodeRawPart(const RawPart& part);
// Ascending.
RawRecord EncodeRawFirst(std::span<const uint32_t> counters);

struct RawTail {
  std::span<const RawPart> parts;
  std::span<const std::pair<std::string_view, uint64_t>> live_frames = {};
  EstimatedMethods estimated = {};
};
RawRecord EncodeRawTail(const RawTail& tail);

// The arrays of a generation.
struct RawNumbers {
  std::span<const uint64_t> pairs;
  std::span<const uint64_t> stacks;
  // RawRanges: these read as zeros.
  std::span<const std::pair<uint64_t, uint64_t>> damaged_pairs = {};
  size_t counters = 0;  // how many there are
};

struct RawLogRead {
  uint64_t unloaded = 0;  // records that say that a class is gone, or that counts are void
};
// Expects the header, and all other damage that is known. Fills classes, types, declared, methods, stacks and parts,
// and counts damaged records. The texts are in `log`.
RawLogRead ReadRawRecords(std::span<const uint8_t> log, const RawNumbers& numbers,
                          RawContents* contents);

// The methods of a type, some at a time: all at once may take sixteen times the memory of the record.
class RawTypeMethods {
 public:
  using Method = std::pair<std::string_view, std::string_view>;  // name, descriptor
  static constexpr size_t kAtOnce = 65536;                       // more than a class has

  explicit RawTypeMethods(const RawType& type) : in_(type.methods), left_(in_.GetCount(2)) {}
  // Empty after the last one. Valid until the next call.
  std::span<const Method> Next();

 private:
  BoundedReader in_;
  uint32_t left_;
  std::vector<Method> methods_;
};

// Whether a class has the names that every class has. Methods without them would take few bytes of a file, and much memory.
bool IsOfJvms(const ClassRecord& klass);

// Adds parts, live frames and estimates. False if the tail is damaged; then nothing was added.
bool ReadRawTail(std::span<const uint8_t> tail, RawContents* contents);

}  // namespace iprof
