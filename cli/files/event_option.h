// EventOption: --value, which of a profile's numbers a command shows: samples, or a value of its allocations or waits
// (writer/profile/event_tables.h).
//
// Example: `iprof top --value alloc-bytes app.iprof` shows who allocates, in bytes.
//
// Guarantees: every command has the same words. Threads: main's, which parses the command line.
// Failure: Find warns, and returns nullopt: the profile does not have the value, and why. It also warns if rows are missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/terminal/console.h"
#include "cli/terminal/option_list.h"
#include "writer/profile/event_tables.h"
#include "writer/profile/model.h"

namespace iprof::cli {

class EventOption {
 public:
  // `shows`: "What the rows show", for the option's text.
  void AddTo(OptionList& options, const std::string& shows);
  std::optional<EventValue> value() const { return EventValueNamed(name_); }  // none: samples
  bool given() const { return row_.given(); }
  const std::string& name() const { return name_; }
  // The events of a profile that has the value.
  std::optional<EventTables> Find(Console& console, const std::string& path,
                                  const Profile& profile) const;

 private:
  OptionRow row_;
  std::string name_ = "samples";
};

// "6.0 MB", "5.0 ms", "1,234"; with at most four digits before the point, except for counts.
std::string ShownValue(EventUnit unit, int64_t value);

// "10.0 MB allocated"
std::string ShownSum(EventValue value, int64_t sum);

}  // namespace iprof::cli
