// ReadRaw: what a raw file (raw_format.h) holds, as of its newest generation that is whole.
//
// Guarantees:
//  - A file that is torn, truncated, or still being written gives its newest whole generation. If none
//    is whole, because the file was cut or damaged, it gives what is left of the newest one: pages
//    and records that have their hashes. The rest is counted. A newer generation that is not whole is noted:
//    it was damaged, or its commit was being written when the process was killed.
//  - Hostile files do no harm: reads nothing outside the file, allocates at most some fifteen times its size
//    (which is at most kMostRawBytes; twice that if both of its snapshots are damaged), and takes time that is
//    proportional to it. Most of what is returned are places in the log.
//  - What is damaged never makes other counts mean something else. A site whose receivers may be among what is damaged
//    has none; a method of whose counters some are has zeros; and without the frames that were live, nothing is at rest.
//  - Counts never belong to the wrong class: if it is not known for sure which classes were unloaded,
//    the generation is not used.
// Threads: any; one at a time per object.
// Failure: a Status whose message begins with the file's name. kUnsupported: another version or byte
// order. kBadInput: no raw file, a damaged header, or no generation; the message says whether there is
// none yet. kIo: the file cannot be read. kLimit: it is larger than kMostRawBytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/base/status.h"
#include "writer/records/class_record.h"
#include "writer/records/first_seen.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/raw/raw_format.h"
#include "writer/records/raw/raw_writer.h"
#include "writer/records/type_counts.h"

namespace iprof {

// Bytes of a file that another process may be writing.
class RawBytes {
 public:
  virtual ~RawBytes() = default;
  virtual Result<uint64_t> Size() = 0;
  // Reads up to `size` bytes; fewer only at the end of the file.
  virtual Result<size_t> ReadAt(uint64_t offset, uint8_t* into, size_t size) = 0;
};

class RawFdBytes final : public RawBytes {
 public:
  explicit RawFdBytes(int fd) : fd_(fd) {}
  Result<uint64_t> Size() override;
  Result<size_t> ReadAt(uint64_t offset, uint8_t* into, size_t size) override;

 private:
  int fd_;
};

class RawMemoryBytes final : public RawBytes {
 public:
  // The bytes must outlive this object.
  explicit RawMemoryBytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  Result<uint64_t> Size() override { return uint64_t{bytes_.size()}; }
  Result<size_t> ReadAt(uint64_t offset, uint8_t* into, size_t size) override;

 private:
  std::span<const uint8_t> bytes_;
};

// A class, and what became of it.
struct RawClass {
  std::span<const uint8_t> record;  // EncodeClassRecord; decodes without error
  std::span<const uint8_t> counts =
      {};                 // of an unloaded class; ReadRawCounts reads them without error
  std::string_view name;  // internal
  Hash128 hash;
  bool unloaded = false;
};

// A type that was loaded and not counted.
struct RawType {
  std::string_view owner;            // internal name; empty for an array
  std::string_view name;             // in the profile
  std::span<const uint8_t> methods;  // RawTypeMethods reads them without error
};

struct RawStack {
  std::vector<RawStackFrame> frames;  // innermost first; methods are within RawContents::methods
  uint64_t weight = 0;
  bool cut = false;
};

// Elements of an array: [first, end), ascending, none empty.
using RawRanges = std::vector<std::pair<uint64_t, uint64_t>>;

// Everything as of one generation. Texts belong to the object itself.
struct RawContents {
  RawHeader header;
  uint64_t generation = 0;
  RunId run{};
  int64_t time_ns = 0;
  bool at_rest = false;
  RawLosses losses;              // what the writer had no room for
  uint64_t damaged_records = 0;  // records of the log that could not be read
  uint64_t damaged_pages = 0;    // pages of the arrays; what was on them reads as zeros
  uint64_t doubtful_pairs =
      0;  // receivers of sites that may lack some because of damage; they are left out
  RawRanges damaged_counters;     // these read as zeros
  bool newer_is_damaged = false;  // there is, or seems to be, a newer snapshot, which is not whole
  std::vector<RawClass> classes;
  std::vector<uint64_t> counters;  // by CounterIndex
  FirstSeen first_seen;            // of these
  TypeCounts types;                // by site
  std::vector<RawType> declared;
  std::vector<RawMethod> methods;
  std::vector<RawStack> stacks;                 // with weight
  std::map<std::string, std::string> parts;     // JSON by name
  std::map<std::string, uint64_t> live_frames;  // by MethodKey
  EstimatedMethods estimated;                   // of the estimates that are among the counts
  std::vector<uint8_t> harvest;                 // ReadRawHarvest reads it; empty: there is none

  std::shared_ptr<const std::vector<uint8_t>> log;  // has the texts
};

Result<RawContents> ReadRaw(RawBytes& file, const std::string& name);

// The run of the newest snapshot, of which no more than the commit is read. Not known if there is none that can be read.
RunId ReadRawRun(RawBytes& file);

}  // namespace iprof
