// The raw format: what a recording has counted so far, in a file that survives every end of the
// process. RawWriter writes it, ReadRaw reads it; nothing else knows the layout.
//
// Two ideas:
//   - What numbers mean is said once, in a log that is only appended to: classes, receivers, stacks.
//     Numbers that change are in arrays of 8-byte words: a counter always has the same place.
//   - The arrays exist twice. A snapshot overwrites the older copy and then its commit, which names
//     the part of the log that belongs to it. So a process can be killed between any two writes: the
//     other copy and its commit are not touched.
//
// Example: two counters were 10 and 20 at snapshot 7, and are 15 and 20 now. Snapshot 8 writes copy 0, then commit 0:
//
//   file              copy 0     commit 0        copy 1     commit 1         a reader takes
//   before            8  20      generation 6    10  20     generation 7     7: 10, 20
//   killed midway     15 20      generation 6    10  20     generation 7     7: 10, 20
//   after             15 20      generation 8    10  20     generation 7     8: 15, 20
//
// The file consists of pages of 4,096 bytes:
//
//   page 0      header      magic, byte order, version; then RawHeader. Never changes
//   page 1, 2   commits     one for each copy: RawCommit. The higher generation is the newer one. It says
//                           of which run it is, also where the profile shall not (provenance=n)
//   page 3 ...  extents     one after the other, each with a first page that describes it: RawExtent
//
//   extent      of the log     1 page; then `pages` pages of log
//               of an array    1 page; then `pages` pages of copy 0, and as many of copy 1
//
// All extents of the log, one after the other, are the log; all extents of an array are the array.
// What was never written reads as zeros: between extents and after the end of the file.
//
// The arrays are counters, pairs, stacks, the tail, the harvest, and hashes, which has the hash of each page of
// the arrays before it (RawHashOf), in their order. A commit has the hash of the array of hashes. So
// each page can be checked, and a generation is whole if all its pages have their hashes.
//
// The log is a sequence of sealed records (writer/base/sealed_bytes.h) with version
// kRawRecordVersion. After the version follows the RawRecordKind, 1 byte; then varints, texts and
// bytes:
//   class      number, EncodeClassRecord. The same number again replaces the class
//   unloaded   number, counters, each: difference, count; sites, each: difference, lost objects,
//              types, each: name, count. That class's counters and sites belong to other classes from
//              here on. These are its last counts, numbered from 0 within the class
//   forgotten  nothing. The counts of all classes that were unloaded before are void (a reset)
//   type       owner, name, methods; each: name, descriptor. A type that is loaded and not counted
//   pair       number, site, type. Element `number` of the array "pairs" counts objects of that type
//              at that site, and lost objects if the type is empty. Elements without a record are zero
//   method     number, type, name, descriptor. A method on stacks
//   stack      number, 1 if frames are missing, frames; each: method, bci, line + 1 or 0. The
//              innermost is first. Element `number` of the array "stacks" is its weight, in first
//              intervals where the interval adapts (firstIntervalNs in the part "sampling")
//   first      counters, each: difference. The first snapshot that found these above 0, after that of the record before
//   part       name, JSON. A part of the profile's section "iprofagent"; the last one counts
//
// The tail is bytes, sealed like a log record:
//   parts, each: name, JSON. They win over those of the log
//   methods with live frames, each: MethodKey, frames
//   methods with estimates among their counts, each: name, estimated calls, executions. Then how many more there are
//
// The harvest is a record of what is not counted by probes (raw_harvest.h). It is empty or whole.
//
// Guarantees: one definition for writer and reader. Arrays, headers of extents and commits are in the
// byte order of the machine that writes; the header says which. kRawVersion changes with every change
// of the layout, and readers refuse all others.
// Threads: any; constants and pure functions.
// Failure: decoding the header returns a Status whose message says what is wrong, without the file's
// name. Other decoding returns nullopt. std::bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writer/base/run_id.h"
#include "writer/base/status.h"
#include "writer/profile/io/writer.h"
#include "writer/records/profile_assembly.h"

namespace iprof {

inline constexpr uint32_t kRawVersion = 7;
inline constexpr uint8_t kRawRecordVersion = 1;
inline constexpr size_t kRawPageBytes = 4096;
inline constexpr size_t kRawPageWords = kRawPageBytes / sizeof(uint64_t);
inline constexpr uint64_t kRawFirstExtent = 3 * kRawPageBytes;
// A larger file is neither written nor read.
inline constexpr uint64_t kMostRawBytes = uint64_t{1} << 30;
// A larger class record is neither written nor read. It would be that of a class file of some 100 MB. So decoding one
// takes little memory.
inline constexpr size_t kMostRawClassBytes = size_t{32} << 20;
// The suffix that the agent gives to raw files.
inline constexpr std::string_view kRawSuffix = ".iraw";

// Where the commit of a copy, 0 or 1, is.
constexpr uint64_t RawCommitPlace(size_t copy) { return (1 + copy) * kRawPageBytes; }

// The first 8 bytes. The first one is in no text and in no gzip file.
inline constexpr std::array<uint8_t, 8> kRawMagic = {0x8f, 'i', 'p', 'r', 'o', 'f', 'r', 0x0a};

// Whether these bytes, the first of a file, begin a raw file.
bool BeginsRawFile(std::span<const uint8_t> bytes);

// What is known from the start of the recording and needed to make its profile.
struct RawHeader {
  std::string agent_version;
  AssemblyOptions assembly;
  int target_jdk = 0;     // ImageTargetForJdk: which image build the profile is for
  bool image = true;      // the profile leaves out what an image build cannot use
  bool harvests = false;  // the profile also has HotSpot's own counts
  FormatVersion format = FormatVersion::k1_0_0;
  bool operator==(const RawHeader&) const = default;
};

// What a file does not contain although it was recorded.
struct RawLosses {
  uint64_t classes = 0;   // classes without room in the file, or for what is new about them
  uint64_t unloaded = 0;  // unloaded classes without room for their counts
  uint64_t counters = 0;
  uint64_t pairs = 0;  // receivers: pairs of a site and a type; also those of a site that lacks one
  uint64_t types = 0;  // types that are loaded and not counted
  uint64_t stacks = 0;
  uint64_t parts =
      0;  // of the section "iprofagent"; all frames that are live count as one, as do names of estimates
  uint64_t harvest = 0;  // 1: HotSpot's own counts, or newer ones than the file has
  bool any() const;
  bool operator==(const RawLosses&) const = default;
};

enum class RawRecordKind : uint8_t {
  kClass = 1,
  kUnloaded,
  kForgotten,
  kType,
  kPair,
  kMethod,
  kStack,
  kPart,
  kFirst,
};

enum class RawArray : uint8_t { kCounters, kPairs, kStacks, kTail, kHarvest, kHashes };
inline constexpr size_t kRawArrays = 6;
// All but the hashes.
inline constexpr size_t kRawHashedArrays = 5;

// The first page of an extent. Only its first kRawExtentWords words are written.
struct RawExtent {
  std::optional<RawArray> array;  // nullopt: the log
  uint64_t pages = 0;             // of the log, or of one copy of the array
  // The extent's bytes in the file, with its first page.
  uint64_t bytes() const { return (1 + (array ? 2 * pages : pages)) * kRawPageBytes; }
  bool operator==(const RawExtent&) const = default;
};

// What makes a copy of the arrays a generation.
struct RawCommit {
  uint64_t generation = 0;  // from 1 on
  RunId run{};              // a reset begins another one, in the same file
  int64_t time_ns = 0;
  bool at_rest = false;
  uint64_t file_bytes = 0;  // where the extents end
  uint64_t log_bytes = 0;
  uint64_t unloaded =
      0;  // records of the log that say that a class is gone, or that counts are void
  std::array<uint64_t, kRawArrays> array_bytes{};  // without zeros at the end
  uint64_t hash = 0;                               // of the array of hashes
  RawLosses losses;
  bool operator==(const RawCommit&) const = default;
};

inline constexpr size_t kRawExtentWords = 4;
inline constexpr size_t kRawCommitWords = 32;
using RawExtentWords = std::array<uint64_t, kRawExtentWords>;
using RawCommitWords = std::array<uint64_t, kRawCommitWords>;

// The hash of a page, or of other bytes.
uint64_t RawHashOf(std::span<const uint8_t> bytes);
// Of the page that begins with these bytes. Zeros follow if they are fewer.
uint64_t RawPageHash(std::span<const uint8_t> bytes);

// A page.
std::vector<uint8_t> EncodeRawHeader(const RawHeader& header);
Result<RawHeader> DecodeRawHeader(std::span<const uint8_t> page);

// nullopt if the hash is wrong, or if the numbers make no sense.
RawExtentWords EncodeRawExtent(const RawExtent& extent);
std::optional<RawExtent> DecodeRawExtent(const RawExtentWords& words);
RawCommitWords EncodeRawCommit(const RawCommit& commit);
std::optional<RawCommit> DecodeRawCommit(const RawCommitWords& words);
// Whether this commit, which cannot be decoded, is that of the generation before `commit`, as far as can be told.
bool SeemsToPrecede(const RawCommitWords& damaged, const RawCommit& commit);

}  // namespace iprof
