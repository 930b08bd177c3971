// LineTables: the source lines of running methods, by jmethodID and running bci, and how long their code is.
//
// Why: a sample's position is in the running bytecode, with the agent's probes in it, and so are
// the lines that the JVM reports. So lines are looked up before bcis are translated. The length shows whether the
// sample is from the same code.
//
// Guarantees: knows no JVM, so it is tested without one; ids are only keys. Threads: one at a time.
// Failure: throws std::bad_alloc if memory is short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace iprof::vm {

// A line begins at a bci and ends at the next entry's.
struct LineStart {
  int64_t bci;
  int32_t line;
};

class LineTables {
 public:
  // Entries may be in any order; of two at the same bci, the later one is used. Adding an id again
  // replaces its entries.
  void Add(const void* id, std::vector<LineStart> starts);
  std::optional<int32_t> LineOf(const void* id, int64_t bci) const;
  void AddLength(const void* id, uint32_t length) { lengths_[id] = length; }
  // 0: not known.
  uint32_t LengthOf(const void* id) const {
    const auto found = lengths_.find(id);
    return found == lengths_.end() ? 0 : found->second;
  }
  void Add(const LineTables& other);
  // Forgets the ids for which keeps(id) is false.
  template <typename Keeps>
  void Prune(Keeps keeps) {
    std::erase_if(tables_, [&](const auto& table) { return !keeps(table.first); });
    std::erase_if(lengths_, [&](const auto& length) { return !keeps(length.first); });
  }
  size_t bytes() const;
  bool empty() const { return tables_.empty(); }

 private:
  std::unordered_map<const void*, std::vector<LineStart>> tables_;  // values sorted by bci
  std::unordered_map<const void*, uint32_t> lengths_;
};

}  // namespace iprof::vm
