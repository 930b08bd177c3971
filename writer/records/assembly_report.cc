#include "writer/records/assembly_report.h"
#include "writer/base/grouped.h"

#include <fmt/core.h>

#include <vector>

namespace iprof {

std::string DescribeExactness(const AssemblyResult& result) {
  const uint64_t ran = result.methods_exact + result.methods_bounded + result.methods_unknown +
                       result.methods_estimated + result.methods_replaced;
  if (ran == 0) return "";
  std::string report =
      fmt::format("exact, but for races between threads: {} of {} methods that ran",
                  Grouped(result.methods_exact), Grouped(ran));
  if (result.methods_bounded > 0) {
    report += fmt::format("; {} may be off by up to {}", Grouped(result.methods_bounded),
                          Grouped(result.largest_k));
  }
  if (result.methods_unknown > 0) {
    report += fmt::format("; {} may be off by an unknown number", Grouped(result.methods_unknown));
  }
  if (result.methods_bounded + result.methods_unknown > 0) {
    report += ", because exceptions ended calls or calls had not ended";
  }
  if (result.methods_estimated > 0) {
    report += fmt::format("; {} are estimated, because they lost their probes",
                          Grouped(result.methods_estimated));
  }
  if (result.methods_replaced > 0) {
    report += fmt::format(
        "; {} are estimated, because compilers replaced calls of them (intrinsics), and what these "
        "call may be called more often",
        Grouped(result.methods_replaced));
  }
  return report + "\n";
}

std::string DescribeLeftOut(const AssemblyResult& result, double max_lost) {
  std::string report;
  const auto line = [&](uint64_t count, std::string_view one, std::string_view many,
                        const std::string& why) {
    if (count > 0)
      report += fmt::format("left out: {} {}{}\n", Grouped(count), count == 1 ? one : many, why);
  };
  const auto name = [&](const std::vector<std::string>& examples) {
    for (const std::string& example : examples) report += fmt::format("left out: {}\n", example);
  };
  line(result.branches_left_out, "branch", "branches",
       ": exceptions may have moved the counts by more than 1 % (placement=direct counts them)");
  name(result.branches_left_out_examples);
  line(result.sites_left_out, "call or type check", "calls or type checks",
       fmt::format(": the class of more than {:.3g} % of the objects is not known "
                   "(receivers-max-lost=)",
                   100 * max_lost));
  name(result.sites_left_out_examples);
  line(result.monitors_lost, "lock", "locks", ": the class of the object is not known");
  report += result.trimmed.Report();
  line(result.versions_dropped, "method's branches and receivers",
       "methods' branches and receivers", ": another version of the method was called more often");
  line(result.positions_dropped, "method's branches and receivers",
       "methods' branches and receivers", ": another agent changed the method");
  line(result.added_methods.size(), "method", "methods", " that another agent added");
  line(result.damaged_records, "method", "methods",
       ": its record is damaged, which is a mistake of the agent");
  return report;
}

std::string DescribeEdges(const EdgeFigures& edges) {
  if (edges.calls == 0) return "";
  const auto percent = [&](int64_t part) {
    return 100 * static_cast<double>(part) / static_cast<double>(edges.calls);
  };
  std::string report = fmt::format(
      "calls by caller: {} entries; the callers of {:.1f} % of all calls are known; methods with "
      "{:.1f} % of the calls agree with their call sites within 0.1 %",
      Grouped(edges.written), percent(edges.explained), percent(edges.agree));
  if (!edges.excess.empty()) {
    report += fmt::format("; call sites of {} show more calls than were counted",
                          Counted(edges.excess.size(), "method", "methods"));
  }
  return report + "\n";
}

std::string DescribeContexts(const ContextFigures& contexts) {
  if (contexts.stacks == 0) return "";
  return fmt::format(
      "receivers and branches by caller: {} entries at {} sites, as {} stacks show them\n",
      Grouped(contexts.entries), Grouped(contexts.sites), Grouped(contexts.stacks));
}

std::string DescribeCounts(const AssemblyResult& result) {
  std::string report = fmt::format(
      "methods that ran: {} exact, {} within k (largest k {}), {} unknown{}; {} clamps; intrinsics "
      "counted at their call sites: {}; sites that saw objects: {}\n",
      result.methods_exact, result.methods_bounded, result.largest_k, result.methods_unknown,
      result.methods_estimated == 0 ? "" : fmt::format(", {} estimated", result.methods_estimated),
      result.clamps, result.methods_replaced, result.sites_written + result.sites_left_out);
  if (result.virtual_threads > 0) {
    report += fmt::format(
        "virtual threads started: {}; k does not include the frames of those that have not ended\n",
        result.virtual_threads);
  }
  return report;
}

}  // namespace iprof
