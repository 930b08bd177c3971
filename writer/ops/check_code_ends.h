// CodeEnds: finds positions beyond the end of a method's code, where the section "iprofagent" says how long that is
// (writer/profile/io/code_part.h). An image build aborts on such a position.
//
// Guarantees: one finding for each method, about its largest position. Nothing is found if the section belongs to other
// methods than the file's.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "writer/profile/io/profile_events.h"

namespace iprof {

class CodeEnds {
 public:
  // An entry whose context is legal, at `place`.
  void Add(const EntryDecl& entry, const Place& place);

  using TextOf = std::function<std::string(int64_t method)>;  // see CodeLengthsIn
  using Report = std::function<void(const Place&, std::string found, std::string expected)>;
  // At the end; `json` is the part "code".
  void Check(std::string_view json, const TextOf& text_of, const Report& report) const;

 private:
  struct Reach {
    int64_t bci = 0;
    Place place;  // of the entry with that position; its key is one of keys_
    bool is_recorded = false;
  };
  std::set<std::string, std::less<>> keys_;   // of tables
  std::unordered_map<int64_t, Reach> reach_;  // by method
};

}  // namespace iprof
