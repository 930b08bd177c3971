// ClassRecord: all that must be known of a counted class to turn its counters into a profile, without
// its class file and without the JVM: its methods, where their counters are, and the records that
// turn counters into counts.
//
// The agent makes one when it instruments a class. ClassTable (agent/instrument) keeps many in a smaller form;
// class_record_bytes.h writes one as bytes for somebody else.
//
// Names are the class file's own (modified UTF-8, slashes). Plain data, self-contained; one thread at a
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "writer/base/murmur3.h"
#include "writer/methods/counter_range.h"
#include "writer/methods/effort.h"
#include "writer/methods/original_class.h"
#include "writer/names/typed_names.h"

namespace iprof {

struct CountedMethod {
  std::string_view name;
  std::string_view descriptor;
  uint64_t code_hash =
      0;  // of its instructions: says whether positions mean the same in two versions of a class
  uint32_t record = 0;      // offset in ClassRecord::records; only where counters > 0
  uint32_t counters = 0;    // 0: neither its calls nor its branches are counted
  CounterIndex first{};     // its counters
  uint32_t first_site = 0;  // of its sites, whose numbers follow each other
  uint32_t sites = 0;
  uint32_t positions = 0;  // offset in ClassRecord::positions
  uint16_t access = 0;
  bool intrinsic_candidate = false;
  bool rewritten = false;                     // has probes: counters, sites, or both
  MethodOrigin origin = MethodOrigin::kSame;  // as far as somebody has judged it
  Effort effort;                              // the first under which it did not become too long

  // Each call locks the class.
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
  bool operator==(const ClassSite&) const = default;
};

// A method that is called at a site, by the names that the site uses.
struct Callee {
  std::string_view owner;
  std::string_view name;
  std::string_view descriptor;
  bool virtual_call = false;  // counts only where the callee cannot be overridden
  bool operator==(const Callee&) const = default;
};

// A method that has no room for all that was asked for.
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
  std::vector<Callee> callees;          // what the records' call sites refer to
  std::vector<ClassSite> sites;         // ascending method and bci
  std::vector<TrimmedMethod> left_out;  // ascending method; few classes have any
  std::vector<uint8_t> positions;       // position_map.h
  std::vector<uint8_t> records;         // site_record.h

  MethodKey KeyOf(const CountedMethod& method) const {
    return MethodKey(InternalName(name), method.name, method.descriptor);
  }
  // Keeps a copy of a text for the life of the class.
  std::string_view Keep(std::string_view text);

  bool operator==(const ClassRecord& other) const;

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_size_ = 0;
  size_t left_ = 0;  // at the end of the last block
};

}  // namespace iprof
