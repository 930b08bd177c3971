#include "cli/files/event_option.h"

#include <fmt/core.h>

#include <span>
#include <string_view>
#include <vector>

#include "cli/files/profile_files.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/text_layout.h"
#include "writer/profile/io/event_part.h"

namespace iprof::cli {
namespace {

struct Scale {
  double from;
  std::string_view name;
};
constexpr Scale kBytes[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
constexpr Scale kTimes[] = {{3.6e12, "h"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};

std::string Scaled(int64_t value, std::span<const Scale> scales, std::string_view smallest) {
  const auto number = static_cast<double>(value);
  for (const Scale& scale : scales) {
    if (number >= scale.from) return fmt::format("{:.1f} {}", number / scale.from, scale.name);
  }
  return fmt::format("{} {}", value, smallest);
}

std::string WhyNone(const EventTables& events, EventValue value) {
  if (FactsOf(value).name.starts_with("lock"))
    return "has no waits for locks: record with lock=1ms";
  if (!events.allocation_figures()) return "has no allocations: record with alloc=512k";
  return "does not know what is alive: there was no collection while it was recorded";
}

}  // namespace

void EventOption::AddTo(OptionList& options, const std::string& shows) {
  std::vector<std::string> names{"samples"};
  std::string text = shows + ": samples";
  for (const EventValueFacts& facts : EventValues()) {
    names.emplace_back(facts.name);
    text += fmt::format("; {}: {}{}", facts.name,
                        facts.unit == EventUnit::kBytes         ? "bytes "
                        : facts.unit == EventUnit::kNanoseconds ? "time "
                                                                : "",
                        facts.says);
  }
  row_ = AddChoice(options, "--value", name_, names,
                   text +
                       " (alloc and live need a profile that was recorded with alloc=, lock one "
                       "with lock=; default: samples)");
}

std::optional<EventTables> EventOption::Find(Console& console, const std::string& path,
                                             const Profile& profile) const {
  EventTables events = EventsOf(profile);
  if (!HasValue(events, *value())) {
    console.Warn(NameOfInput(path) + " " + WhyNone(events, *value()));
    return std::nullopt;
  }
  const bool is_wait = FactsOf(*value()).name.starts_with("lock");
  const int64_t dropped =
      is_wait ? events.wait_figures()->dropped : events.allocation_figures()->dropped;
  const int64_t all = is_wait ? events.wait_figures()->waits : events.allocation_figures()->samples;
  if (dropped > 0)
    console.Warn(fmt::format("{}: {} of {} are missing: the agent's memory was full (memory=)",
                             NameOfInput(path), Grouped(dropped),
                             is_wait ? Counted(all, "wait", "waits")
                                     : Counted(all, "sampled object", "sampled objects")));
  return events;
}

std::string ShownValue(EventUnit unit, int64_t value) {
  switch (unit) {
    case EventUnit::kBytes:
      return Scaled(value, kBytes, "B");
    case EventUnit::kNanoseconds:
      return Scaled(value, kTimes, "ns");
    case EventUnit::kCount:
      break;
  }
  return Grouped(value);
}

std::string ShownSum(EventValue value, int64_t sum) {
  const EventValueFacts& facts = FactsOf(value);
  return fmt::format("{} {}", ShownValue(facts.unit, sum), facts.says);
}

}  // namespace iprof::cli
