// EventTables: what was seen of allocations (alloc=) and of waits for locks (lock=): stacks, each with a class, a thread and
// some values. An image build does not use them, so they are in no table of the profile, but in a part of their own
// (io/event_part.h). They name their classes, methods and stacks themselves and need no ids of the profile.
//
// Example: 12 sampled byte arrays of a.B.read:7, called by a.B.main:3 in the thread main, stand for 6.1 MB in 96 objects. The
// last collection left 1 of the 12 alive.
//   EventTables events;
//   const EventFrame frames[] = {{events.AddMethod("a.B", "read", "()V"), 7, 21}, {events.AddMethod("a.B", "main", …), 3, 9}};
//   events.Add(EventTables::Allocation{.stack = events.AddStack(frames), .type = events.AddType("[B"),
//                                      .thread = events.AddThread("main"), .bytes = 6'100'000, .objects = 96,
//                                      .live_bytes = 510'000, .live_objects = 8, .samples = 12, .live_samples = 1});
//   events.AddFigures({.intervals = {524288}, .samples = 12});
// A reader can then say 6.1 MB ± 87 %: a sum of n samples is right within 3/sqrt(n) in 997 of 1,000 cases.
//
// Guarantees: what is added twice gets the same number; rows with the same stack, class, thread and owner add up. Names are
// UTF-8: those in the JVM's modified UTF-8 are converted (NormalizeUtf8). No number is negative; sums saturate.
// Unite and Multiply are what `iprof merge` does: the order of profiles makes no difference to what is written.
// Threads: one at a time. Failure: none but std::bad_alloc; a number of other tables is a logic error, checked by assert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "writer/base/hash.h"
#include "writer/profile/model.h"

namespace iprof {

enum class EventType : uint32_t {};
enum class EventMethod : uint32_t {};
enum class EventStack : uint32_t {};
enum class EventThread : uint32_t {};

inline constexpr EventType kNoEventType{UINT32_MAX};      // the class is not known
inline constexpr EventStack kNoEventStack{UINT32_MAX};    // of owners only
inline constexpr EventThread kNoEventThread{UINT32_MAX};  // the thread is not known

struct EventFrame {
  EventMethod method{};
  Bci bci = 0;        // in the class file; 0 in a native method, and where it is not known
  int32_t line = -1;  // -1: not known
  auto operator<=>(const EventFrame&) const = default;
};

class EventTables {
 public:
  struct Method {
    std::string type;  // as Class.getName()
    std::string name;
    std::string descriptor;  // "(I)V"
    auto operator<=>(const Method&) const = default;
  };

  // Sampled objects, with what they stand for. A source that has fractions of objects rounds them so that sums stay right: it
  // adds what it cut off to the next row.
  struct Allocation {
    EventStack stack{};
    EventType type = kNoEventType;
    EventThread thread = kNoEventThread;
    int64_t bytes = 0;
    int64_t objects = 0;
    int64_t live_bytes = 0;  // of these: what was alive at the last sweep
    int64_t live_objects = 0;
    int64_t samples = 0;  // how many were sampled, without weights
    int64_t live_samples = 0;
    bool operator==(const Allocation&) const = default;
  };

  // Waits of at least the threshold. They are counted, not sampled.
  struct Wait {
    EventStack stack{};
    EventType type = kNoEventType;  // of the monitor, or of what LockSupport.park was given
    EventThread thread = kNoEventThread;
    EventStack owner =
        kNoEventStack;     // where the lock's owner was during the wait, if that was seen
    bool is_park = false;  // LockSupport.park; otherwise a monitor
    int64_t ns = 0;
    int64_t waits = 0;
    bool operator==(const Wait&) const = default;
  };

  // Present: allocations were recorded, also if there are no rows.
  struct AllocationFigures {
    std::set<int64_t> intervals =
        {};               // mean distances between samples, in bytes; of a merge, of all runs
    int64_t samples = 0;  // all that the JVM reported
    int64_t dropped = 0;  // of these: in no row
    // When the objects were last asked whether they are alive, after a collection: ms since 1970. 0: no collection was seen, and
    // nothing is known of live objects. Of a merge: the earliest of those that are known.
    int64_t swept_ms = 0;
    bool operator==(const AllocationFigures&) const = default;
  };
  struct WaitFigures {
    std::set<int64_t> thresholds = {};  // in ns
    int64_t waits = 0;                  // of at least the threshold
    int64_t dropped = 0;                // of these: in no row
    int64_t shorter = 0;                // below the threshold, as far as the JVM reported them
    bool operator==(const WaitFigures&) const = default;
  };

  EventTables() = default;
  EventTables(EventTables&&) noexcept = default;  // the source may only be destroyed or assigned to
  EventTables& operator=(EventTables&&) noexcept = default;
  EventTables(const EventTables&) = delete;
  EventTables& operator=(const EventTables&) = delete;
  ~EventTables() = default;

  // As Class.getName(): "[B", "java.lang.String".
  EventType AddType(std::string_view name);
  // As the profile calls it (writer/names/thread_names.h).
  EventThread AddThread(std::string_view name);
  EventMethod AddMethod(std::string_view type, std::string_view name, std::string_view descriptor);
  // Innermost first; at least one frame.
  EventStack AddStack(std::span<const EventFrame> frames);
  void Add(const Allocation& row);
  void Add(const Wait& row);
  // Adds to the figures that are known.
  void AddFigures(const AllocationFigures& figures);
  void AddFigures(const WaitFigures& figures);

  std::span<const std::string> types() const& { return types_.texts; }
  std::span<const std::string> threads() const& { return threads_.texts; }
  std::span<const Method> methods() const& { return methods_; }
  size_t stack_count() const { return stacks_.size(); }
  const std::string& NameOf(EventType type) const;      // not of kNoEventType
  const std::string& NameOf(EventThread thread) const;  // not of kNoEventThread
  const Method& MethodOf(EventMethod method) const;
  std::span<const EventFrame> Frames(EventStack stack) const;
  // In the order of their first appearance.
  std::span<const Allocation> allocations() const& { return allocations_; }
  std::span<const Wait> waits() const& { return waits_; }
  // They would outlive the tables.
  std::span<const std::string> types() && = delete;
  std::span<const std::string> threads() && = delete;
  std::span<const Method> methods() && = delete;
  std::span<const Allocation> allocations() && = delete;
  std::span<const Wait> waits() && = delete;
  const std::optional<AllocationFigures>& allocation_figures() const { return allocation_figures_; }
  const std::optional<WaitFigures>& wait_figures() const { return wait_figures_; }
  // Neither allocations nor waits were recorded.
  bool empty() const { return !allocation_figures_ && !wait_figures_; }

  void Unite(const EventTables& other);
  // The rows whose stack is wanted. Figures stay: they are those of the run.
  EventTables Where(const std::function<bool(EventStack stack)>& wants) const;
  // By the weight of a profile in a merge, at least 0. The numbers of samples stay: they say how sure the values are.
  void Multiply(int64_t weight);

 private:
  struct Names {
    std::vector<std::string> texts;
    std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> numbers;
    uint32_t Add(std::string_view text);
  };
  using Stack = std::vector<EventFrame>;

  // Adds rows and all that they name. `wants`: which stacks of the other tables.
  void AddRows(const EventTables& other, const std::function<bool(EventStack stack)>& wants);

  Names types_;
  Names threads_;
  std::vector<Method> methods_;
  std::map<Method, uint32_t> method_numbers_;
  std::map<Stack, uint32_t> stack_numbers_;
  std::vector<const Stack*> stacks_;  // the keys of stack_numbers_
  std::vector<Allocation> allocations_;
  std::vector<Wait> waits_;
  std::map<std::tuple<EventStack, EventType, EventThread>, size_t> allocation_places_;
  std::map<std::tuple<EventStack, EventType, EventThread, EventStack, bool>, size_t> wait_places_;
  std::optional<AllocationFigures> allocation_figures_;
  std::optional<WaitFigures> wait_figures_;
};

// What a command can show of events.
enum class EventValue : uint8_t {
  kAllocBytes,
  kAllocObjects,
  kLiveBytes,
  kLiveObjects,
  kLockTime,   // ns
  kLockCount,  // waits
};
enum class EventUnit : uint8_t { kBytes, kNanoseconds, kCount };

struct EventValueFacts {
  EventValue value;
  std::string_view name;  // of the commands' option: "alloc-bytes"
  EventUnit unit;
  std::string_view says;  // behind a number with its unit: "allocated", "objects allocated"
};
// All, in the order of the enum.
std::span<const EventValueFacts> EventValues();
const EventValueFacts& FactsOf(EventValue value);
std::optional<EventValue> EventValueNamed(std::string_view name);

int64_t ValueOf(const EventTables::Allocation& row, EventValue value);  // 0 for values of locks
int64_t ValueOf(const EventTables::Wait& row, EventValue value);  // 0 for values of allocations
int64_t SumOf(const EventTables& events, EventValue value);
// Whether the value was recorded: for live objects, also whether a collection was seen.
bool HasValue(const EventTables& events, EventValue value);

}  // namespace iprof
