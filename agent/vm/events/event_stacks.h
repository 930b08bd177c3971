// EventStacks: the stacks, classes and threads of events, such as sampled allocations and waits for locks. All recorders of
// events of a session share one, and write into one part of the profile.
//
// Example: 800 allocations are sampled at 30 places. Stack() asks the JVM for the frames of the current thread and returns
// one of 30 numbers; Type() returns 2 for "[B"; Thread() returns 1 for "pool-*-thread-*". The recorder keeps a row of
// values for each (stack, type, thread). When the part is written, it gives its rows in AddTo.
//
// Guarantees:
// - Names are learnt while their frames are on the stack, so their classes are loaded. Lambdas and other hidden classes have
//   their stable names; linkage, probes with what they call, and frames of hidden classes without a name are left out.
// - A virtual thread's stack ends at its own first frame.
// - No lock is held while the JVM is called, so a thread that is suspended here stops no other.
// - Runs no Java code, and leaves no exception pending and no local reference behind. An exception that is pending stays.
// - Bounded: at most kMostFrames of a stack, and `most_bytes` in all. What finds no room is kNone, and counted.
// Threads: Stack, Type and Thread on any thread that is attached, in the live phase, in a callback of JVMTI, for the current
// thread. Write one at a time; the rest on any thread.
// Failure: kNone; std::bad_alloc.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/instrument/table/memory_budget.h"
#include "agent/vm/classes/names/class_watch.h"
#include "agent/vm/classes/names/frame_methods.h"
#include "agent/vm/recorder/thread_names.h"
#include "writer/base/code_stamp.h"
#include "writer/profile/event_tables.h"
#include "writer/records/raw/record_sink.h"

namespace iprof::vm {

class EventStacks;

// A table that is being made of the rows of all recorders.
class EventRows {
 public:
  EventTables& tables;
  // Numbers of EventStacks as those of the table. nullopt: no frame of the stack is left, or the number is kNone.
  std::optional<EventStack> Stack(uint32_t number);
  // Of kNone: not known.
  EventType Type(uint32_t number);
  EventThread Thread(uint32_t number);
};

class EventStacks {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kMostFrames = 512;

  // A position in running code, and that in the class file, if it is known.
  struct Position {
    std::string_view class_descriptor;
    std::string_view name;
    std::string_view descriptor;
    int32_t running;
    CodeStamp code;
    std::optional<int32_t> original = std::nullopt;
  };
  // Fills the last member.
  using ToClassFile = std::function<void(std::span<Position>)>;

  // A recorder whose rows are in the part.
  class Source {
   public:
    virtual ~Source() = default;
    virtual void AddTo(JNIEnv* jni, EventRows& rows) = 0;
  };

  // `to_class_file` is null if no code is rewritten. The others must outlive this object.
  EventStacks(TypeNaming naming, ToClassFile to_class_file, ClassWatch& watch,
              instrument::MemoryBudget& budget, uint64_t most_bytes);
  EventStacks(const EventStacks&) = delete;
  EventStacks& operator=(const EventStacks&) = delete;

  // The number of the current thread's stack; `thread` is this thread.
  uint32_t Stack(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);
  // The number of a class.
  uint32_t Type(jvmtiEnv* jvmti, JNIEnv* jni, jclass type);
  // The number of a thread's folded name; `thread` may be another one.
  uint32_t Thread(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

  // Before the recording begins. A source registers once, and must outlive this object's last Write.
  void Register(Source& source) { sources_.push_back(&source); }
  // Called by each source in its Recorder::Write. The last one that is registered writes the part, with the rows of all.
  void Write(JNIEnv* jni, RecordSink& sink, const Source& caller);

  size_t bytes() const;
  // Stacks, types and threads that found no room.
  uint64_t without_room() const;
};

}  // namespace iprof::vm
