// Stacks: the stacks of a recording as those of a profile and of its tables of events.
//
// Example: the recording has the stack spin:23 < deep:6 < deep:15 …, 64 frames, truncated. Context() adds its frames and behind
// them the thread's (writer/profile/sample_threads.h) to the profile, and OfEvents() to the tables of events.
//
// Guarantees:
// - Frames are as the agent's sampler has them (docs/sampling.md, "What is in a stack"): native methods have position 0, linkage
//   and hidden classes are left out, a virtual thread's stack ends at its own first frame, and a caller without a position ends
//   the stack before it.
// - What is known of a chunk's keys is forgotten by BeginChunk. A stack is translated once in a chunk.
// - At most kMostFrames of a stack, the innermost, which is more than JFR records, and kMostThreads names of threads.
// Threads: one. Failure: none but std::bad_alloc; what a profile cannot have is left out and counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cli/jfr/constants.h"
#include "cli/jfr/frame_names.h"
#include "writer/profile/event_tables.h"
#include "writer/profile/model.h"

namespace iprof::jfr {

// Of distinct stacks.
struct StackCounts {
  int64_t cut_contexts = 0;  // that JFR truncated
  int64_t linkage_frames = 0;
  int64_t carrier_frames = 0;
  int64_t unnamed_frames = 0;
  int64_t unstable_frames = 0;
  int64_t ends_at_no_call = 0;
  int64_t ends_at_unknown = 0;
  int64_t unknown_leaves = 0;
};

class Stacks {
 public:
  static constexpr size_t kMostFrames = 4096;
  static constexpr size_t kMostThreads = 1024;

  // Both must outlive this object.
  Stacks(Profile& profile, EventTables& events) : profile_(profile), events_(events) {}
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  void BeginChunk(Constants& constants);

  struct Found {
    ContextIndex context = kNoContext;  // no frame is left, or there is no stack
    bool has_stack = false;
    bool is_truncated = false;
  };
  Found Context(int64_t stack, int64_t thread);

  // "(no Java code).native" if no frame is left.
  EventStack OfEvents(int64_t stack);
  bool IsTruncated(int64_t stack) { return Translate(stack).is_truncated; }
  EventType TypeOf(int64_t type);
  EventThread ThreadOf(int64_t thread);
  // Whether a thread that parked there waited for a lock of java.util.concurrent, or a library's like it: then its queue of
  // waiting threads called LockSupport. A latch is no lock (agent/vm/events/lock_class.h).
  bool IsLockPark(int64_t stack, int64_t type);

  const StackCounts& counts() const { return counts_; }
  int64_t distinct() const { return static_cast<int64_t>(known_contexts_.size()); }

 private:
  struct Method {
    FrameKind kind = FrameKind::kUnnamed;
    MethodFacts facts;
    std::string recorded_type;
    std::optional<MethodIndex> in_profile;
    std::optional<EventMethod> in_events;
  };
  struct TranslatedFrame {
    Method* method;
    Bci bci;
    int32_t line;
  };
  struct Translated {
    bool is_there = false;
    bool is_truncated = false;  // and what was cut off belonged to it
    bool parks_in_queue = false;
    std::vector<TranslatedFrame> frames;
    StackCounts left_out;
    std::unordered_map<int64_t, ContextIndex> contexts;  // by thread
    std::optional<EventStack> in_events;
  };

  Translated& Translate(int64_t key);
  void TranslateFrames(const Stack& stack, Translated& into);
  bool ParksInQueue(const Stack& stack);
  Method& MethodOf(int64_t key);
  MethodIndex InProfile(Method& method);
  EventMethod InEvents(Method& method);
  const std::string& ThreadName(int64_t thread);

  Profile& profile_;
  EventTables& events_;
  Constants* constants_ = nullptr;
  // Of the chunk, by key.
  std::unordered_map<int64_t, Translated> stacks_;
  std::unordered_map<int64_t, Method> methods_;
  std::unordered_map<int64_t, std::string> threads_;
  std::unordered_map<int64_t, EventType> types_;
  std::unordered_set<std::string> thread_names_;
  std::unordered_set<uint32_t> known_contexts_;
  StackCounts counts_;
};

}  // namespace iprof::jfr
