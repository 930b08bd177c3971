#include "agent/instrument/outcome_tally.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace iprof::instrument {

using classfile::Reason;

void OutcomeTally::NoteClass(const std::vector<MethodOutcome>& methods) {
  bool counted = false;
  bool refused = false;
  bool declined = false;
  for (const MethodOutcome& m : methods) {
    NoteMethod(m);
    counted = counted || (m.reason == Reason::kOk && !m.nothing_to_count);
    refused = refused || m.counters_refused.has_value() || m.out_of_reach;
    declined = declined || (m.reason != Reason::kOk && m.reason != Reason::kNoCode);
  }
  if (counted) {
    ++classes_instrumented_;
  } else if (refused) {
    ++classes_without_counters_;
  } else if (declined) {
    ++classes_no_method_counted_;
  } else {
    ++classes_without_code_;
  }
}

bool OutcomeTally::AnyBeyondCap(const std::vector<MethodOutcome>& methods) {
  return std::any_of(methods.begin(), methods.end(),
                     [](const MethodOutcome& m) { return m.counters_refused == Refusal::kCap; });
}

void OutcomeTally::NoteMethod(const MethodOutcome& outcome) {
  if (outcome.counters_refused) {
    ++(*outcome.counters_refused == Refusal::kCap ? methods_beyond_cap_ : methods_not_ready_);
    return;
  }
  if (outcome.out_of_reach) {
    ++methods_out_of_reach_;
    return;
  }
  if (outcome.reason != Reason::kOk) {
    ++methods_left_[static_cast<size_t>(outcome.reason)];
    return;
  }
  if (outcome.sites_refused) ++methods_without_sites_;
  if (outcome.nothing_to_count) return;
  ++methods_instrumented_;
  const bool calls_only = outcome.effort.step == Effort::Step::kCallsOnly;
  if (calls_only) {
    ++methods_calls_only_;
  } else if (outcome.effort.step != Effort::Step::kAsAsked) {
    ++methods_compact_;
  }
  if (outcome.left_out && !calls_only) ++methods_trimmed_;
  if (!outcome.effort.sites && !calls_only) ++methods_no_sites_;
}

OutcomeTally::Sums OutcomeTally::sums() const {
  Sums sums{.classes_counted = classes_instrumented_,
            .classes_left_alone =
                classes_without_counters_ + classes_no_room_ + classes_no_method_counted_,
            .methods_counted = methods_instrumented_,
            .methods_left_alone = methods_beyond_cap_ + methods_not_ready_ + methods_out_of_reach_};
  for (const Count& count : classes_left_) sums.classes_left_alone += count;
  for (int i = 0; i < classfile::kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    if (reason == Reason::kNoCode || reason == Reason::kOk) continue;
    sums.methods_left_alone += methods_left_[static_cast<size_t>(i)];
  }
  return sums;
}

std::string OutcomeTally::Report() const {
  std::string report = fmt::format("classes: {} counted, {} without code to count\n",
                                   classes_instrumented_.load(), classes_without_code_.load());
  report += fmt::format(
      "methods: {} counted; because of their length or monitors, {} with shorter probes, {} of "
      "these without "
      "some branches or receivers, and {} with calls only\n",
      methods_instrumented_.load(), methods_compact_.load(), methods_trimmed_.load(),
      methods_calls_only_.load());
  if (const uint64_t count = methods_no_sites_; count > 0) {
    report += fmt::format(
        "methods in which receivers, monitors and type checks cannot be counted: {}\n", count);
  }
  if (const uint64_t count = methods_left_[static_cast<size_t>(Reason::kNoCode)]; count > 0)
    report += fmt::format("methods without code, abstract or native: {}\n", count);
  return report;
}

// Lists classes and methods by reason. Those that only lacked room have a reason of their own.
std::string OutcomeTally::LeftAlone() const {
  std::string report;
  const auto line = [&](std::string_view what, uint64_t count, std::string_view why) {
    if (count > 0) report += fmt::format("{} left alone: {} ({})\n", what, count, why);
  };
  constexpr std::string_view kCapText = "the memory limit, memory=, was reached";
  constexpr std::string_view kNotReadyText = "no chunk of counters was ready";
  for (int i = 0; i < classfile::kReasonCount; ++i)
    line("classes", classes_left_[static_cast<size_t>(i)], ReasonText(static_cast<Reason>(i)));
  line("classes", classes_without_counters_, "no counters were left for any of their methods");
  line("classes", classes_no_room_, kCapText);
  line("classes", classes_no_method_counted_, "every method with code was left alone");
  for (int i = 0; i < classfile::kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    if (reason != Reason::kNoCode)
      line("methods", methods_left_[static_cast<size_t>(i)], ReasonText(reason));
  }
  line("methods", methods_beyond_cap_, kCapText);
  line("methods", methods_not_ready_, kNotReadyText);
  line("methods", methods_out_of_reach_, "their class loader cannot find the counters");
  return report;
}

}  // namespace iprof::instrument
