// What the Freezer tells a user. See freezer.h.
#include <fmt/format.h>

#include <utility>

#include "agent/vm/counting/freezer.h"
#include "writer/base/grouped.h"

namespace iprof::vm {

void Freezer::NoteFigures() {
  const std::lock_guard lock(figures_mutex_);
  figures_.bytes = counts_.bytes() + (seen_.capacity() + swapped_.capacity()) * sizeof(uint64_t);
  figures_.known = counts_.known();
  figures_.increments_per_s = meter_.increments_per_s();
  figures_.cost = meter_.share();
  figures_.cost_now = meter_.last_share();
  figures_.is_over_limit =
      setting_.overhead > 0 && choice_.is_settled() && meter_.last_share() > setting_.overhead &&
      meter_.increments_per_s() > meter_.IncrementsPerSecond(setting_.overhead);
  figures_.kept = kept_.Reasons();
}

FreezeFigures Freezer::figures() const {
  const std::lock_guard lock(figures_mutex_);
  return figures_;
}

std::string Freezer::Summary(size_t estimated) const {
  const FreezeFigures figures = this->figures();
  return fmt::format(
      "methods with estimated counts: {}; without probes now: {}; counting costs at most {:.1f} % "
      "of the program's time\n",
      Grouped(estimated), Grouped(figures.methods), 100 * figures.cost);
}

std::string Freezer::Report() const {
  const FreezeFigures figures = this->figures();
  std::string report = fmt::format(
      "without probes: {} methods, after {} rounds and {} rearms; {} classes swapped in {} pauses "
      "(the longest {:.0f} ms), {} refused\n"
      "counting costs at most {:.1f} % of the program's time, {:.1f} % at the end; an increment "
      "{:.2f} ns, {:.1f} million of them a second at the end\n",
      figures.methods, figures.rounds, figures.rearms, figures.swap.classes, figures.swap.pauses,
      std::chrono::duration<double, std::milli>(figures.swap.longest_pause).count(),
      figures.swap.refused, 100 * figures.cost, 100 * figures.cost_now, meter_.ns_per_increment(),
      figures.increments_per_s / 1e6);
  if (const std::string kept = DescribeKept(figures.kept); !kept.empty()) report += kept + "\n";
  return report;
}

void Freezer::TellLimit() {
  FreezeFigures figures;
  {
    const std::lock_guard lock(figures_mutex_);
    figures = figures_;
    figures_.is_over_limit = false;
  }
  if (!figures.is_over_limit || figures.kept.empty()) return;
  log_.Warning(fmt::format(
      "overhead={:.0f}% was not reached: counting costs at most {:.1f} % of the program's time; {}",
      100 * setting_.overhead, 100 * figures.cost_now, DescribeKept(figures.kept)));
}

}  // namespace iprof::vm
