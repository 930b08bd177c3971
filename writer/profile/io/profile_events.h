// ProfileEvents and ParseProfile: an iprof file as a stream of events, each with its place.
//
// Guarantees:
//  - Order: for any order of the file, every OnType comes before any OnMethod, and both before any
//    OnEntry; tables come in file order. OnVersion comes first if the file has the version first.
//    Tables that precede the types or methods in the file are held as text and parsed later.
//  - Two kinds of errors. Input that is not JSON, has bad UTF-8 or exceeds a limit ends the parse
//    with a failed Status. JSON that does not have the format's shape gives an OnViolation, and the
//    parse continues, so that a checker sees all violations.
//  - Memory: the longest string and record, plus the tables and unknown keys that are held; in all
//    no more than a small multiple of the input. No recursion; nesting is limited to kMaxNesting.
//  - Integers are 64-bit; ids are not resolved, and only the spelling of contexts is checked.
// Views and spans in events are valid only during the call. Any handler may return false to stop;
// ParseProfile then returns ok.
// Threads: one per parse; there is no global state.
// Failure: a Status with the place of the failure, as above. Throws nothing but std::bad_alloc.
//
// Why not RapidJSON: it takes 1.5 times as long for a profile, rejects names that Java allows,
// and does not say where a token began (docs/lab/json-reader.md). The tests use it as an
// independent oracle.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/profile_place.h"
#include "writer/profile/model.h"

namespace iprof {

inline constexpr size_t kMaxNesting = 256;                   // JSON depth, in unknown keys too
inline constexpr size_t kMaxStringBytes = size_t{16} << 20;  // one string in the file
// Limits of class files. Without them, a small file could have names and signatures whose product
// fills the memory.
inline constexpr size_t kMaxNameBytes = 65535;
inline constexpr size_t kMaxSignatureIds = 257;  // declaring type, return type, 255 parameters
inline constexpr size_t kMaxHeldBackBytes = size_t{1}
                                            << 30;  // text of tables that stand before the types

struct TypeDecl {
  int64_t id;
  std::string_view name;
  Place place;
};

struct MethodDecl {
  int64_t id;
  std::string_view name;
  std::span<const int64_t> signature;  // type ids
  Place place;
};

struct RawFrame {
  int64_t method;
  int64_t bci;
};

struct EntryDecl {
  Table table;
  std::string_view ctx;              // as the file spells it
  std::span<const RawFrame> frames;  // innermost first; empty if the spelling was a violation
  std::span<const int64_t> values;
  bool ctx_ok = true;      // false: already reported as a violation
  bool records_ok = true;  // false: already reported as a violation
  Place place;             // the entry; CtxPlace and RecordsPlace below for its parts
  uint64_t ctx_offset = 0;
  uint64_t records_offset = 0;
};
Place CtxPlace(const EntryDecl& entry);
Place RecordsPlace(const EntryDecl& entry, int64_t value_index = -1);

class ProfileEvents {
 public:
  virtual ~ProfileEvents() = default;
  virtual bool OnVersion(std::string_view version, const Place& place) = 0;
  virtual bool OnType(const TypeDecl& type) = 0;
  virtual bool OnMethod(const MethodDecl& method) = 0;
  // A table begins; `key` is as the file spells it (instanceofProfiles or instanceOfProfiles).
  virtual bool OnTable(Table, std::string_view /*key*/, const Place&) { return true; }
  virtual bool OnEntry(const EntryDecl& entry) = 0;
  // Any other top-level key, with its value's text.
  virtual bool OnUnknownKey(std::string_view key, std::string_view json, const Place& place) = 0;
  // A member that a type, method or entry should not have (legal, and dropped).
  virtual bool OnUnknownMember(std::string_view /*name*/, const Place&) { return true; }
  // Wrong JSON type, missing or repeated member, malformed context, integer out of range ...
  virtual bool OnViolation(const Violation& violation) = 0;
};

// Parses to the end, or up to the first byte that is not JSON. `name` is for messages. Plain
// or gzip.
Status ParseProfile(ByteSource& source, std::string_view name, ProfileEvents& events);
// A regular file; "-" is standard input.
Status ParseProfileFile(const std::string& path, ProfileEvents& events);

}  // namespace iprof
