// MethodListing: a method's bytecode and source as a report shows them. It is plain data, so that this room needs no class
// files; whoever reads them implements ListingSource.
//
// Guarantees: of ListingSource: what it returns is in code order, and every target is the bci of an instruction.
// Threads: any; one per source. Failure: a method without a known class file has no listing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

struct ListedInstruction {
  Bci bci = 0;
  std::string mnemonic;       // "invokevirtual"
  std::string operand;        // "java.lang.String.length()int"; empty if there is none
  std::vector<Bci> targets;   // of a jump; of a switch in key order, the default last
  bool falls_through = true;  // control can continue at the next instruction
  bool is_handler = false;    // an exception handler starts here
  // What a call calls, as Profile::DescribeMethod has it; empty for other instructions.
  std::string callee;
};

struct MethodListing {
  std::vector<ListedInstruction> instructions;
  std::vector<std::pair<Bci, int>> lines;  // where a line's code begins, by bci
  std::string source_file;                 // "Cart.java"; empty if not known
  int first_line = 0;                      // of `source`
  std::vector<std::string> source;         // the lines around the method; empty without sources
};

class ListingSource {
 public:
  virtual ~ListingSource() = default;
  virtual std::optional<MethodListing> Find(const Profile& names, MethodIndex method) = 0;
};

}  // namespace iprof
