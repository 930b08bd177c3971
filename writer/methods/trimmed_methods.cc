#include "writer/methods/trimmed_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace iprof {

namespace {

std::string Calls(uint64_t count) { return fmt::format("{} call{}", count, count == 1 ? "" : "s"); }

}  // namespace

void TrimmedMethods::Note(std::string name, uint64_t calls, const LeftOut& left_out) {
  methods_.push_back({std::move(name), calls, left_out});
}

std::string TrimmedMethods::Report() const {
  constexpr size_t kMostNamed = 20;
  if (methods_.empty()) return "";
  uint64_t branches = 0;
  uint64_t sites = 0;
  uint64_t all = 0;
  std::vector<const Method*> order;
  for (const Method& m : methods_) {
    order.push_back(&m);
    branches += m.left_out.branches;
    sites += m.left_out.sites;
    all += m.left_out.everything ? 1 : 0;
  }
  std::sort(order.begin(), order.end(), [](const Method* a, const Method* b) {
    return a->calls != b->calls ? a->calls > b->calls : a->name < b->name;
  });
  std::string report =
      fmt::format("left out because {}: {} branch{}, {} receivers, monitors or type checks",
                  methods_.size() == 1 ? "1 method is long"
                                       : fmt::format("{} methods are long", methods_.size()),
                  branches, branches == 1 ? "" : "es", sites);
  if (all > 0) report += fmt::format("; of {} of these methods, all", all);
  report += '\n';
  for (size_t i = 0; i < std::min(order.size(), kMostNamed); ++i) {
    const Method& m = *order[i];
    const LeftOut& l = m.left_out;
    report +=
        l.everything
            ? fmt::format("left out: {} ({}): all branches and receivers\n", m.name, Calls(m.calls))
            : fmt::format("left out: {} ({}): {} of {} branches, {} of {} receivers\n", m.name,
                          Calls(m.calls), l.branches, l.all_branches, l.sites, l.all_sites);
  }
  return report;
}

}  // namespace iprof
