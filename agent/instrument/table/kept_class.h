// KeptClass: a ClassRecord in the few hundred bytes that the agent keeps of it. It shares names and equal
// contents with other classes, so it means nothing without the tables of its ClassTable;
// writer/methods/class_record_bytes.h has the form for other processes.
//
// The content is everything that two classes with equal methods have in common: the methods' names,
// code hashes, positions, sites and derivation records, with counters and sites numbered from 0
// within the class. It is bytes, so that equal contents can be found and shared, and names in it are
// numbers of a NameTable. A kept class is what one class has for itself: its name, its hash, and the
// ranges of counters and sites that the numbers of its content stand for.
//
// Content, all numbers as varints:
//   access, super class, methods, callees
//   callees: owner, name, descriptor, 1 where virtual
//   methods: name, descriptor, access, flags (kFlag…)
//            with an effort of its own: that, in one number
//            with something left out: everything, branches, all branches, sites, all sites
//            rewritten: 8 bytes of code hash, bytes of positions
//            with counters: counters, bytes of record
//            with sites: sites; each: bci as difference * 4 + kind
//   positions of all methods; records of all methods
// Neither holds a pointer to a class file or to anything of the JVM.
//
// Guarantees: decoding what was encoded gives the same class, where each method's counters lie in
// one range, as CounterSpace gives them out. Pure; the owner of the names locks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "writer/base/name_table.h"
#include "writer/methods/class_record.h"

namespace iprof::instrument {

struct KeptClass {
  Hash128 hash;  // of the class file
  NameId name{};
  uint32_t content = 0;              // number of the content
  std::vector<CounterRange> ranges;  // of counters, then of sites
  uint32_t counter_ranges = 0;       // how many of the ranges are of counters

  std::span<const CounterRange> CounterRanges() const {
    return std::span(ranges).first(counter_ranges);
  }
  std::span<const CounterRange> SiteRanges() const {
    return std::span(ranges).subspan(counter_ranges);
  }
};

// The class's content; every name in it counts as one more use in `names`.
std::vector<uint8_t> EncodeContent(const ClassRecord& klass, NameTable& names);

// The ranges of the class's counters and sites, in the order of its methods.
void TakeRanges(const ClassRecord& klass, KeptClass* record);

// Calls visit(name) for every mention of a name in the content.
void ForEachName(std::span<const uint8_t> content, const std::function<void(NameId)>& visit);

// Fills everything but name and hash. Texts are those of `names` and live as long as there.
void DecodeContent(std::span<const uint8_t> content, const KeptClass& record,
                   const NameTable& names, ClassRecord* klass);

}  // namespace iprof::instrument
