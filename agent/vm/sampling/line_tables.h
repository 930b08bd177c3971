// LineTables: the source lines of running methods, by jmethodID and running bci.
//
// Why: a sample's place is in the bytecode as it runs, with the agent's probes in it, and so are the
// lines that the JVM tells. So lines are looked up before bcis are translated.
//
// Knows no JVM: tested without one. Ids are keys only. One thread at a time; out of memory throws.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace iprof::vm {

// A line begins at a bci and goes on to the next entry's.
struct LineStart {
  int64_t bci;
  int32_t line;
};

class LineTables {
 public:
  // Entries may come in any order; of two at one bci the later stands. Adding an id again replaces
  // what it had.
  void Add(const void* id, std::vector<LineStart> starts);
  std::optional<int32_t> LineOf(const void* id, int64_t bci) const;
  bool empty() const { return tables_.empty(); }

 private:
  std::unordered_map<const void*, std::vector<LineStart>> tables_;  // by bci
};

}  // namespace iprof::vm
