// CountedClass: a class that was looked at for counting, as code works with it: its methods, where
// their counters are, and the records that turn counters into counts.
//
// ClassTable keeps classes in a smaller form (class_record.h) and decodes them into this one.
//
// Names are the class file's own (modified UTF-8, slashes). Plain data; one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "agent/instrument/counter_space.h"
#include "agent/instrument/effort.h"
#include "agent/instrument/site_probes.h"
#include "writer/base/murmur3.h"

namespace iprof::instrument {

struct CountedMethod {
  std::string_view name;
  std::string_view descriptor;
  uint64_t code_hash =
      0;  // of its instructions: says whether positions mean the same in two versions of a class
  uint32_t record = 0;      // offset in CountedClass::records; only where counters > 0
  uint32_t counters = 0;    // 0: neither its calls nor its branches are counted
  CounterIndex first{};     // its counters
  uint32_t first_site = 0;  // of its sites, whose numbers follow each other
  uint32_t sites = 0;
  uint32_t positions = 0;  // offset in CountedClass::positions
  uint16_t access = 0;
  bool intrinsic_candidate = false;
  bool rewritten = false;  // has probes: counters, sites, or both
  Effort effort;           // the first under which it did not become too long

  // Each call locks the class.
  bool IsStaticSynchronized() const;
};

// A place where the classes of objects are counted.
struct ClassSite {
  uint32_t method;  // in CountedClass::methods
  uint32_t bci;
  uint32_t number;  // among all sites
  SiteKind kind;
};

// A method that is called at a site, by the names that the site uses.
struct Callee {
  std::string_view owner;
  std::string_view name;
  std::string_view descriptor;
  bool virtual_call = false;  // counts only where the callee cannot be overridden
};

// A method that has no room for all that was asked for.
struct TrimmedMethod {
  uint32_t method;  // in CountedClass::methods
  LeftOut left_out;
};

struct CountedClass {
  std::string_view name;
  std::string_view super_name;
  Hash128 hash;
  uint16_t access = 0;
  std::vector<CountedMethod> methods;
  std::vector<Callee> callees;          // what the records' call sites refer to
  std::vector<ClassSite> sites;         // ascending method and bci
  std::vector<TrimmedMethod> left_out;  // ascending method; few classes have any
  std::vector<uint8_t> positions;       // classfile/position_map.h
  std::vector<uint8_t> records;         // writer/sites/site_record.h
  // Keeps a copy of a text for the life of the class.
  std::string_view Keep(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_size_ = 0;
  size_t left_ = 0;  // at the end of the last block
};

}  // namespace iprof::instrument
