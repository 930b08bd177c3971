#include "writer/ops/check_successors.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "writer/profile/branch_outcomes.h"

namespace iprof {
namespace {

void CheckOutcomes(std::span<const int64_t> values, int64_t bci, const SuccessorReport& report) {
  std::map<int64_t, size_t> places;  // by bci: where it is first
  std::set<int64_t> indices;
  for (size_t i = 0; i < values.size(); i += 3) {
    if (values[i] < 0) continue;
    places.emplace(values[i], i);
    indices.insert(values[i + 1]);
  }
  const size_t outcomes = std::min(places.size(), indices.size());
  if (bci < 0 || outcomes <= 2) return;
  const int64_t end = bci + LeastSwitchBytes(bci, outcomes);
  const auto inside = places.upper_bound(bci);
  if (inside == places.end() || inside->first >= end) return;
  report(Rule::kBranchOutcomes, inside->second,
         fmt::format("{} outcomes, one at {}", outcomes, inside->first),
         fmt::format("two: a switch at {} with {} targets goes on to {}", bci, outcomes, end - 1));
}

}  // namespace

int64_t LeastSwitchBytes(int64_t bci, size_t targets) {
  const int64_t padding = 3 - bci % 4;
  const int64_t keys = static_cast<int64_t>(targets) - 1;      // one target is the default
  return 1 + padding + std::min(12 + 4 * keys, 8 + 8 * keys);  // tableswitch, lookupswitch
}

void CheckSuccessors(std::span<const int64_t> values, int64_t branch_bci,
                     const SuccessorReport& report) {
  const auto triples = static_cast<int64_t>(values.size() / 3);
  std::map<int64_t, int64_t> index_of_bci;
  std::map<int64_t, int64_t> bci_of_index;
  std::set<int64_t> indices;
  bool all_zero = true;
  bool index_wrong = false;
  for (size_t i = 0; i < values.size(); i += 3) {
    const int64_t bci = values[i];
    const int64_t index = values[i + 1];
    all_zero = all_zero && values[i + 2] == 0;
    if (index < 0 || index >= triples) {
      index_wrong = true;
      report(Rule::kSuccessorIndex, i + 1, fmt::format("index {}", index),
             fmt::format("0 to {}", triples - 1));
      continue;
    }
    indices.insert(index);
    if (bci == kRepeatedSuccessorBci) {
      if (!bci_of_index.contains(index)) {
        report(Rule::kSuccessorRepeatedKey, i, fmt::format("bci -5 with index {}", index),
               fmt::format("a triple with a real bci and index {} before it", index));
      }
      continue;
    }
    if (bci < 0) {
      report(Rule::kSuccessorBciNegative, i, fmt::format("bci {}", bci), "0 or more, or -5");
    }
    const auto [of_bci, new_bci] = index_of_bci.emplace(bci, index);
    if (!new_bci && of_bci->second != index) {
      report(Rule::kSuccessorBciAmbiguous, i,
             fmt::format("bci {} with index {} and with {}", bci, of_bci->second, index),
             "one triple with the sum");
    } else if (!new_bci) {
      report(Rule::kSuccessorTripleRepeated, i,
             fmt::format("bci {} with index {} a second time", bci, index),
             "one triple with the sum");
    }
    const auto [of_index, new_index] = bci_of_index.emplace(index, bci);
    if (!new_index && of_index->second != bci) {
      report(Rule::kSuccessorIndexAmbiguous, i,
             fmt::format("index {} with bci {} and with {}", index, of_index->second, bci),
             "one bci for one index");
    }
  }
  CheckOutcomes(values, branch_bci, report);
  if (all_zero) {
    report(Rule::kSuccessorAllZero, 0, "only zeros", "a count above 0, or no entry");
  }
  if (index_wrong) return;
  if (*indices.rbegin() != std::ssize(indices) - 1) {
    report(Rule::kSuccessorIndexGap, 1,
           fmt::format("{} indices up to {}", indices.size(), *indices.rbegin()),
           fmt::format("indices 0 to {}", indices.size() - 1));
  }
}

}  // namespace iprof
