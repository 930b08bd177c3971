// BranchList: a file with every method that ran, for scripts that learn from runs: its names, the hash of
// its code's shape, what each placement costs, and each of its branches with its counts.
//
//   P program
//   M class name(descriptor) shape guesses … direct (increments of each placement)
//   B bci opcode opcode-before its-member flags-of-each-way … : count-of-each-way …
//
// Flags: c the block calls, r it returns, x it is cold, l the way leaves a loop, b it goes back.
//
// Guarantees: the same input gives the same file. Threads: one per object. Failure: a file that cannot be
// written is empty.
#pragma once

#include <fstream>
#include <span>
#include <string>

#include "agent/plan/branch_weights.h"
#include "agent/plan/frequency.h"

namespace iprof::instrument {

class BranchList {
 public:
  explicit BranchList(const std::string& path) : out_(path) {}

  void BeginProgram(const std::string& name) { out_ << "P " << name << '\n'; }
  void Add(const MethodNames& names, const MethodGraph& method, const FrequencyEstimate& frequency,
           std::span<const double> edges, std::span<const double> increments);

 private:
  std::ofstream out_;
};

}  // namespace iprof::instrument
