// KeptClass: a ClassRecord in the few hundred bytes that the agent keeps of it. It shares names and
// equal contents with other classes, so it is only valid together with the tables of its
// ClassTable. writer/records/class_record_bytes.h has the form for other processes.
//
// The content is everything that two classes with equal methods have in common: the methods' names,
// code hashes, positions, lines, sites and method records, with counters and sites numbered from 0 within
// the class. It is a sequence of bytes, so that equal contents can be found and shared; names in it
// are numbers of a NameTable. The rest belongs to one class only: its name, its hash, and its
// ranges of counters and sites.
//
// The content, with all numbers as varints:
//   access, super class, methods, callees, targets
//   callees: owner, name, descriptor, 1 if virtual
//   targets: owner, name
//   methods: name, descriptor, access, flags (kFlag…)
//            with an effort of its own: the effort, in one number
//            with something left out: everything, branches, all branches, sites, all sites
//            rewritten: 8 bytes of code hash, bytes of positions
//            with lines: bytes of lines
//            with counters: counters, bytes of record
//            with sites: sites; each: bci as difference * 4 + kind; of a receiver also its target
//   positions, then lines, then records of all methods
// It contains no pointers to a class file or to anything in the JVM.
//
// Guarantees: decoding gives the class that was encoded, if each method's counters are in one
// range, as CounterSpace allocates them.
// Threads: pure functions; the owner of the names locks. Failure: none.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "writer/base/name_table.h"
#include "writer/records/class_record.h"

namespace iprof::instrument {

struct KeptClass {
  Hash128 hash;  // of the class file
  NameId name{};
  uint32_t content = 0;              // number of the content in the table
  std::vector<CounterRange> ranges;  // of counters, then of sites
  uint32_t counter_ranges = 0;       // how many of the ranges are counters

  std::span<const CounterRange> CounterRanges() const {
    return std::span(ranges).first(counter_ranges);
  }
  std::span<const CounterRange> SiteRanges() const {
    return std::span(ranges).subspan(counter_ranges);
  }
};

// Encodes the class's content. Each name in it counts as one more use in `names`.
std::vector<uint8_t> EncodeContent(const ClassRecord& klass, NameTable& names);

// Stores the ranges of the class's counters and sites, in the order of its methods.
void TakeRanges(const ClassRecord& klass, KeptClass* record);

// Calls visit(name) for every occurrence of a name in the content.
void ForEachName(std::span<const uint8_t> content, const std::function<void(NameId)>& visit);

// Fills everything except name and hash. The texts belong to `names` and live as long as there.
void DecodeContent(std::span<const uint8_t> content, const KeptClass& record,
                   const NameTable& names, ClassRecord* klass);

}  // namespace iprof::instrument
