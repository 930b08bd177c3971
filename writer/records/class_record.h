// ClassRecord: everything about a counted class that is needed to turn its counters into a profile
// without its class file and without the JVM: its methods, where their counters are, and the
// records that turn counters into counts.
//
// The agent makes one when it instruments a class. ClassTable (agent/instrument/table) keeps many
// of them in a compressed form; class_record_bytes.h encodes one for another process.
//
// Names are internal names (modified UTF-8, slashes). A lambda or proxy has its stable name.
//
// Guarantees: plain data that refers to nothing outside it, if all its texts come from Keep.
// Threads: one at a time; const methods may run in parallel. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "writer/base/murmur3.h"
#include "writer/names/typed_names.h"
#include "writer/profile/sureness.h"
#include "writer/records/counter_range.h"
#include "writer/records/effort.h"
#include "writer/records/original_class.h"

namespace iprof {

struct CountedMethod {
  std::string_view name;
  std::string_view descriptor;
  // Of its instructions, with names instead of constants' numbers: shows whether positions mean the
  // same in two versions of a class. 0: not known.
  uint64_t code_hash = 0;
  // Offset in ClassRecord::records, or what a source that makes records in another way
  // (ClassSource::GetRecord) puts there. Only if counters > 0.
  uint32_t record = 0;
  uint32_t counters = 0;    // 0: neither its calls nor its branches are counted
  CounterIndex first{};     // its counters
  uint32_t first_site = 0;  // its first site; the numbers of its sites are consecutive
  uint32_t sites = 0;
  uint32_t positions = 0;  // offset in ClassRecord::positions
  uint32_t lines = 0;      // offset in ClassRecord::lines; only if has_lines
  uint16_t access = 0;
  bool intrinsic_candidate = false;
  bool rewritten = false;                     // has probes: counters, sites, or both
  bool has_lines = false;                     // of its recorded positions; only if rewritten
  MethodOrigin origin = MethodOrigin::kSame;  // kSame until it has been compared
  Sureness sureness = Sureness::Exact();      // of its counts, as their source knows it
  Effort effort;                              // the first with which it was short enough

  // Whether each call locks the class.
  bool IsStaticSynchronized() const;
  bool operator==(const CountedMethod&) const = default;
};

// What a site counts.
enum class SiteKind : uint8_t { kReceiver, kMonitor, kInstanceOf };

// A place where the classes of objects are counted.
struct ClassSite {
  uint32_t method;  // in ClassRecord::methods
  uint32_t bci;
  uint32_t number;  // among all sites
  SiteKind kind;
  uint32_t target = 0;  // of a receiver's call: in ClassRecord::targets, from 1 on; 0: not known
  bool operator==(const ClassSite&) const = default;
};

// A method that is called at a site, by the names in the call instruction.
struct Callee {
  std::string_view owner;
  std::string_view name;
  std::string_view descriptor;
  bool virtual_call = false;  // counts only if the callee cannot be overridden
  bool operator==(const Callee&) const = default;
};

// The method that a virtual call names.
struct CallTarget {
  std::string_view owner;
  std::string_view name;
  bool operator==(const CallTarget&) const = default;
};

// A method that has no room for all requested probes.
struct TrimmedMethod {
  uint32_t method;  // in ClassRecord::methods
  LeftOut left_out;
  bool operator==(const TrimmedMethod&) const = default;
};

struct ClassRecord {
  std::string_view name;
  std::string_view super_name;  // empty: java.lang.Object
  Hash128 hash;                 // of the class file
  uint16_t access = 0;
  std::vector<CountedMethod> methods;
  std::vector<Callee> callees;          // the call sites in the records refer to these
  std::vector<CallTarget> targets;      // the sites refer to these
  std::vector<ClassSite> sites;         // ascending method and bci
  std::vector<TrimmedMethod> left_out;  // ascending method; few classes have any
  std::vector<uint8_t> positions;       // position_map.h
  std::vector<uint8_t> lines;           // method_lines.h
  std::vector<uint8_t> records;         // method_record.h

  MethodKey KeyOf(const CountedMethod& method) const {
    return MethodKey(InternalName(name), method.name, method.descriptor);
  }
  // The sites of one of its methods.
  std::span<const ClassSite> SitesOf(const CountedMethod& method) const;
  // The bytes of `records` that belong to a method with counters, and of `lines` to one with lines. They end
  // where the next method's begin, so that all methods together have no more than there are. Empty if the next method's
  // begin before.
  std::span<const uint8_t> RecordOf(const CountedMethod& method) const;
  std::span<const uint8_t> LinesOf(const CountedMethod& method) const;
  // Keeps a copy of a text as long as the record exists.
  std::string_view Keep(std::string_view text);

  bool operator==(const ClassRecord& other) const;

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_size_ = 0;
  size_t left_ = 0;  // free bytes at the end of the last block
};

}  // namespace iprof
