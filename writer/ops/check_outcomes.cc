#include "writer/ops/check_outcomes.h"

#include <algorithm>
#include <optional>

#include "writer/profile/io/code_part.h"

namespace iprof {

void OutcomeFindings::Report(std::string_view code_part, std::vector<int64_t> recorded,
                             const FindingHandler& report) {
  const auto hashes = HashesInCodePart(code_part);
  const bool fits = hashes && hashes->size() == recorded.size();
  std::sort(recorded.begin(), recorded.end());
  const auto has_hash = [&](int64_t method) {
    const auto at = std::lower_bound(recorded.begin(), recorded.end(), method);
    return fits && at != recorded.end() && *at == method &&
           (*hashes)[static_cast<size_t>(at - recorded.begin())] != 0;
  };
  for (auto& [method, finding] : found_) {
    if (!has_hash(method)) {
      finding.rule = Rule::kBranchFolded;
      finding.expected += ", or folded or inlined by an image build";
    }
    report(finding);
  }
  found_.clear();
}

}  // namespace iprof
