#include "writer/ops/check_successors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "writer/model/branch_outcomes.h"

namespace iprof {
namespace {}  // namespace

void CheckSuccessors(std::span<const int64_t> values, const SuccessorReport& report) {
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
