// What Counting says of itself and of its profiles. See counting.h.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "agent/vm/counting/counting.h"

namespace iprof::vm {
namespace {

uint64_t Milliseconds(std::chrono::nanoseconds time) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

void AddFreezing(const FreezeFigures& freezing, bool is_stopped, control::SessionStatus& status) {
  status.freeze_rounds = freezing.rounds;
  status.freeze_swaps = freezing.swap.classes;
  status.freeze_longest_pause_ms = Milliseconds(freezing.swap.longest_pause);
  status.cost_permille = static_cast<uint64_t>(1000 * freezing.cost);
  status.cost_least_permille = static_cast<uint64_t>(1000 * freezing.range.least);
  status.cost_most_permille = static_cast<uint64_t>(1000 * freezing.range.most);
  // While nothing is recorded, all methods have their own code, and counting costs nothing.
  if (is_stopped) return;
  status.frozen_methods = freezing.methods;
  status.cost_now_permille = static_cast<uint64_t>(1000 * freezing.cost_now);
  for (const auto& [what, methods] : freezing.kept) status.kept.push_back({what, methods});
}

}  // namespace

void Counting::Describe(const ProfileSink& made, RecorderTexts& texts) {
  if (made.counted() == nullptr) return;
  const instrument::AddedCounts added{*made.counted(), self_check_};
  std::string& summary = texts.summary;
  summary += instrumenter_.Summary(added) + store_.LeftAlone() + access_.LeftAlone();
  if (earlier_ != nullptr) summary += earlier_->LeftAlone();
  if (freezer_ != nullptr) summary += freezer_->Summary(made.counted()->estimated.with_estimates());
  if (plan_.weights != nullptr && plan_.weights->earlier() != nullptr) {
    const instrument::ProfileWeights& earlier = *plan_.weights->earlier();
    summary +=
        fmt::format("weights: {} branches; {} of {} fit the code of the classes\n",
                    earlier.branches(), earlier.fitting(), earlier.fitting() + earlier.unfitting());
  }
  std::string& report = texts.report;
  report += instrumenter_.Report(added) + store_.Report();
  if (origin_ != nullptr) report += origin_->Report();
  if (earlier_ != nullptr) report += earlier_->Report();
  if (freezer_ != nullptr) report += freezer_->Report();
}

void Counting::AddLosses(RunNote& note) const {
  note.Lose("methods_not_counted", instrumenter_.sums().methods_left_alone);
  note.Lose("refused_memory", refusals());
}

uint64_t Counting::refusals() const { return store_.refusals() + budget_.refusals(); }

RestoredClasses Counting::last_swap() const {
  const std::lock_guard lock(swap_mutex_);
  return swap_;
}

uint64_t Counting::others_with_probes() const {
  const RestoredClasses swap = last_swap();
  return unlinked_.awaited() + swap.outcome.refused + swap.redefined;
}

uint64_t Counting::AddTo(control::SessionStatus& status, bool is_stopped) const {
  const instrument::OutcomeTally::Sums sums = instrumenter_.sums();
  status.classes_counted = sums.classes_counted;
  status.classes_left_alone = sums.classes_left_alone;
  status.methods_counted = sums.methods_counted;
  status.methods_left_out = sums.methods_left_alone;
  status.counters = store_.counters();
  const RestoredClasses swap = last_swap();
  if (is_stopped) {
    status.hidden_classes_with_probes = swap.unmodifiable;
    status.other_classes_with_probes =
        plan_.restorable ? others_with_probes() : sums.classes_counted;
  }
  status.swap_batches = swap.outcome.pauses;
  status.swap_pauses_beyond_budget = swap.outcome.pauses_beyond_budget;
  status.swap_longest_pause_ms = Milliseconds(swap.outcome.longest_pause);
  status.swap_total_pause_ms = Milliseconds(swap.outcome.sum_of_pauses);
  if (freezer_ != nullptr) AddFreezing(freezer_->figures(), is_stopped, status);
  const auto lose = [&](uint64_t count, std::string_view what) {
    if (count > 0) status.losses.push_back({std::string(what), count});
  };
  lose(refusals(), "requests for memory beyond the limit (memory=)");
  lose(swap.outcome.refused, "classes that the JVM refused to change");
  return thread_.cpu_ns();
}

}  // namespace iprof::vm
