// ContextEntries: writes the entries of branches and of receivers' classes, by caller where ContextSamples show that callers
// matter (context_split.h).
//
// Example: with contexts=all a branch that went 600 times to 20 and 400 times to 30 is written as
//   f:7<A:3  [20,0,500,30,1,0]    and    f:7<B:9  [20,0,100,30,1,400]
// Without samples of it, it is f:7 [20,0,600,30,1,400].
//
// Guarantees: all entries of a position add up to what was passed. Samples of classes or successors that were not counted are
// ignored. Methods of callers are in the profile only if an entry names them.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "writer/profile/model.h"
#include "writer/records/context_samples.h"
#include "writer/records/context_split.h"

namespace iprof {

// What is said about them.
struct ContextFigures {
  uint64_t stacks = 0;   // taken
  uint64_t sites = 0;    // with entries that have callers
  uint64_t entries = 0;  // with callers
  bool operator==(const ContextFigures&) const = default;
};

class ContextEntries {
 public:
  // The samples may be null. Both must outlive this object.
  ContextEntries(const ContextSamples* samples, Profile& profile);

  void AddReceivers(MethodIndex method, Bci bci, std::span<const TypeCount> counts);
  void AddSuccessors(MethodIndex method, Bci bci, std::span<const Successor> successors);
  const ContextFigures& figures() const { return figures_; }

 private:
  const ContextSamples::Site* Find(MethodIndex method, Bci bci, bool is_call);
  std::string KeyOf(MethodIndex method) const;
  // `number_of` gives the number of a stack's outcome, if it has one. Calls write(context, counts) for each entry.
  template <typename NumberOfOutcome, typename Write>
  void Split(const ContextSamples::Site& site, ContextIndex whole, std::span<const int64_t> exact,
             NumberOfOutcome number_of, Write write);
  ContextIndex ContextOf(ContextIndex whole, std::span<const CallerNumber> callers);
  std::optional<MethodIndex> MethodOf(uint32_t number);

  const ContextSamples* const samples_;
  Profile& profile_;
  // By what KeyOf returns.
  std::unordered_map<std::string, std::vector<const ContextSamples::Site*>> sites_;
  MethodIndex last_ = kNoMethod;
  const std::vector<const ContextSamples::Site*>* of_last_ = nullptr;
  std::unordered_map<uint32_t, std::optional<MethodIndex>> methods_;
  ContextFigures figures_;
};

}  // namespace iprof
