// Settings: what the events jdk.ActiveSetting of a recording say of the events that we read: which were recorded, how often
// samples were taken, and from which duration on waits were.
//
// Example: "period" of jdk.ExecutionSample is "20 ms", and from tick 700 on "10 ms". A sample at tick 650 stands for 20 ms, one
// at 700 for 10 ms. The next chunk begins with the settings that the last one ended with.
//
// Guarantees: a setting that no event says is an answer. Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace iprof::jfr {

// "20 ms", "10ms", "1 s" in ns; nullopt for "everyChunk", "0 ns" and the like.
std::optional<int64_t> ParseTime(std::string_view text);

class Settings {
 public:
  // The settings of the last chunk go on until this one says others.
  void BeginChunk();
  // `event`: "jdk.ExecutionSample". Of one chunk, in any order.
  void Add(std::string_view event, std::string_view name, std::string_view value, int64_t ticks);

  // That of the last setting before, or of the first one after.
  std::optional<int64_t> PeriodAt(std::string_view event, int64_t ticks);
  // Whether the event was switched on at any time.
  bool WasOn(std::string_view event) const { return on_.contains(event); }
  // All that were said, of an event that was on.
  std::set<int64_t> Thresholds(std::string_view event) const;

 private:
  struct Period {
    int64_t ticks;
    int64_t ns;
  };
  struct Periods {
    std::vector<Period> of_chunk;  // sorted when they are first asked for
    bool is_sorted = true;
    std::optional<int64_t> before;  // of the last chunk
  };

  std::map<std::string, Periods, std::less<>> periods_;
  std::set<std::string, std::less<>> on_;
  std::map<std::string, std::set<int64_t>, std::less<>> thresholds_;
};

}  // namespace iprof::jfr
