// TrimmedMethods: the report lines on methods that had no room for all of their branches and
// receivers, the hottest first.
//
// Guarantees: the same methods give the same report in any order of Note.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/methods/effort.h"

namespace iprof {

class TrimmedMethods {
 public:
  // `calls`: how often the method ran; also 0 if calls are not counted.
  void Note(std::string name, uint64_t calls, const LeftOut& left_out);

  // Empty if there are none. Names at most twenty methods, those that ran first.
  std::string Report() const;

 private:
  struct Method {
    std::string name;
    uint64_t calls;
    LeftOut left_out;
  };
  std::vector<Method> methods_;
};

}  // namespace iprof
