// The raw format: what a recording has counted so far, in a file that survives whatever ends the
// process. RawWriter writes it, RawReader reads it; nothing else knows the layout.
//
// Two ideas:
//   - What numbers mean is said once, in a log that is only appended to: classes, receivers, stacks.
//     Numbers that change are in arrays of 8-byte words: a counter always has the same place.
//   - The arrays exist twice. A snapshot overwrites the older copy and then its commit, which names
//     the part of the log that belongs to it. So a process can be killed between any two writes: the
//     other copy and its commit are not touched.
//
// The file consists of pages of 4,096 bytes:
//
//   page 0      header      RawHeader: magic, byte order, version, what is known from the start
//   page 1, 2   commits     one for each copy: RawCommit. The higher generation is the newer one
//   page 3 …    extents     one after the other, each with a first page that describes it
//
//   extent      kind log     1 page: kind, pages; then that many pages of log
//               kind array   1 page: kind, which array, pages; then that many pages of copy 0, then of
//                            copy 1
//
// All extents of the log, one after the other, are the log; all extents of an array are the array.
// A file that ends early reads as zeros there. A commit has a hash of each array and of the part of
// the log that belongs to it, so it is valid only if all that it names is.
//
// The log is a sequence of sealed records (writer/base/sealed_bytes.h) with version
// kRawRecordVersion. After the version follows the RawRecordKind, 1 byte; then, as varints, texts and
// bytes:
//   class      number, EncodeClassRecord. A number that is used again replaces the class
//   unloaded   number, counts: that class's counters and sites belong to other classes from here on.
//              These are its last counts, numbered from 0 within the class: of counters, then of sites
//   forgotten  nothing: the counts of all classes that were unloaded before are void (a reset)
//   type       owner, name, methods; each: name, descriptor. A type that is loaded and not counted
//   pair       number, site, type: element `number` of the array "pairs" counts objects of that type at
//              that site, and lost objects if the type is empty. It may be redefined
//   method     number, type, name, descriptor: a method on stacks
//   stack      number, 1 if frames are missing, frames; each: method, bci, line + 1 or 0. The innermost
//              is first. Element `number` of "stacks" is its weight
//   part       name, JSON: a part of the profile's section "iprofagent". The last one counts
//
// The array "tail" is bytes: the parts that change, and live frames, sealed like a log record.
//
// Guarantees: one definition for writer and reader. Byte order is that of the writing machine for
// arrays, little endian for all else; the header says which. kRawVersion changes with every change of
// the layout, and readers refuse all others.
// Threads: any; constants and pure functions.
// Failure: decoding returns a Status whose message says what is wrong with the file, without its
// name; std::bad_alloc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "writer/base/status.h"
#include "writer/io/writer.h"
#include "writer/methods/profile_assembly.h"

namespace iprof {

inline constexpr uint32_t kRawVersion = 1;
inline constexpr uint8_t kRawRecordVersion = 1;
inline constexpr size_t kRawPageBytes = 4096;
// A larger file is neither written nor read.
inline constexpr uint64_t kMostRawBytes = uint64_t{1} << 30;
// The suffix that the agent gives to raw files.
inline constexpr std::string_view kRawSuffix = ".iraw";

// The first 8 bytes. The first one is in no text and in no gzip file.
inline constexpr std::array<uint8_t, 8> kRawMagic = {0x8f, 'i', 'p', 'r', 'o', 'f', 'r', 0x0a};

// Whether these bytes, the first of a file, begin a raw file.
bool BeginsRawFile(std::span<const uint8_t> bytes);

// What is known from the start of the recording and needed to make its profile.
struct RawHeader {
  int64_t pid = 0;
  int64_t start_ns = 0;  // when the recording began, in ns since 1970
  std::string agent_version;
  AssemblyOptions assembly;
  int target_jdk = 0;   // ImageTargetForJdk: which image build the profile is for
  bool image = true;    // the profile leaves out what an image build cannot use
  bool harvests = false;  // the profile also has HotSpot's own counts. A raw file does not have them
  FormatVersion format = FormatVersion::k1_0_0;
  bool operator==(const RawHeader&) const;
};

// What a file does not contain although it was recorded.
struct RawLosses {
  uint64_t classes = 0;   // classes without room in the file
  uint64_t unloaded = 0;  // unloaded classes without room for their counts
  uint64_t counters = 0;
  uint64_t pairs = 0;   // receivers: pairs of a site and a type
  uint64_t types = 0;   // types that are loaded and not counted
  uint64_t stacks = 0;
  uint64_t parts = 0;  // of the section "iprofagent"
  bool any() const;
  bool operator==(const RawLosses&) const = default;
};

}  // namespace iprof
