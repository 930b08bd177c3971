// RawPairs: which pairs of a site and a type a raw file cannot name, because their records had no room, and what the
// file says of their sites.
//
// A reader takes the types of a site for all that there are: a site that saw two types, of which the file has one,
// would seem to see that one only. So the objects of a type without a record count as lost, and if a site loses a
// larger share than the profile may miss (AssemblyOptions::max_lost), the file has no counts of that site at all.
//
// Guarantees: as long as every pair has a record, Kept returns its input and looks at none of it. Otherwise it takes
// time in proportion to the pairs.
// Threads: one at a time. Failure: throws std::bad_alloc; then a pair is not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace iprof {

class RawPairs {
 public:
  enum class Kind : uint8_t {
    kNone,  // no pair has this number
    kType,
    kLost,      // counts objects of unknown class
    kNoRecord,  // the file does not say what it counts
  };

  void Add(uint32_t number, uint32_t site, Kind kind);

  // The counts that the file gets. Valid until the next call, and as long as `counts`. Adds the pairs with records whose
  // counts are left out to *left_out.
  std::span<const uint64_t> Kept(std::span<const uint64_t> counts, double max_lost,
                                 uint64_t* left_out);

  size_t memory_bytes() const {
    return sites_.capacity() * sizeof(uint32_t) + kinds_.capacity() +
           kept_.capacity() * sizeof(uint64_t);
  }

 private:
  std::vector<uint32_t> sites_;  // by number
  std::vector<Kind> kinds_;
  std::vector<uint64_t> kept_;
  bool is_whole_ = true;  // every pair has a record
};

}  // namespace iprof
