#include "writer/methods/assembly_report.h"

#include <fmt/format.h>

namespace iprof {

std::string DescribeCounts(const AssemblyResult& result) {
  std::string report;
  report +=
      fmt::format("methods that ran: {} exact, {} within k (largest k {}), {} unknown; {} clamps\n",
                  result.methods_exact, result.methods_bounded, result.largest_k,
                  result.methods_unknown, result.clamps);
  if (result.virtual_threads > 0) {
    report += fmt::format(
        "virtual threads started: {}; k does not include the frames of those that have not ended\n",
        result.virtual_threads);
  }
  report +=
      fmt::format("intrinsics counted at their call sites: {}; versions of methods left out: {}\n",
                  result.intrinsics_corrected, result.versions_dropped);
  if (result.branches_left_out > 0) {
    report += fmt::format(
        "branches left out because exceptions may have moved their counts by more than 1 %: {} in "
        "{} methods (placement=direct counts them)\n",
        result.branches_left_out, result.branches_left_out_methods);
    for (const std::string& method : result.branches_left_out_examples)
      report += fmt::format("left out: {}\n", method);
  }
  if (result.positions_dropped > 0) {
    report +=
        fmt::format("methods whose positions were dropped because another agent changed them: {}\n",
                    result.positions_dropped);
  }
  if (!result.added_methods.empty()) {
    report += fmt::format("methods left out because another agent added them: {}\n",
                          result.added_methods.size());
  }
  return report;
}

std::string DescribeSites(const AssemblyResult& result, double max_lost) {
  std::string report;
  report += fmt::format(
      "sites that saw objects: {}; left out because more than {:.3g} % of their objects had no "
      "known class: {}\n",
      result.sites_written + result.sites_left_out, 100 * max_lost, result.sites_left_out);
  if (result.monitors_lost > 0)
    report += fmt::format("monitors of unknown class: {}\n", result.monitors_lost);
  for (const std::string& site : result.sites_left_out_examples)
    report += fmt::format("left out: {}\n", site);
  return report;
}

std::string DescribeLeftOut(const AssemblyResult& result) {
  std::string report = result.trimmed.Report();
  if (result.damaged_records > 0) {
    report += fmt::format("damaged method records: {}\n", result.damaged_records);
  }
  return report;
}

}  // namespace iprof
