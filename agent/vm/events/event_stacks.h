// EventStacks: the stacks, classes and threads of events, such as sampled allocations and waits for locks. All recorders of
// events of a session share one, and write into one part of the profile.
//
// Example: 800 allocations are sampled at 30 places. Stack() asks the JVM for the frames of the current thread and returns
// one of 30 numbers; Type() returns 2 for "[B"; Thread() returns 1 for "pool-*-thread-*". The recorder keeps a row of
// values for each (stack, type, thread). When the part is written, it gives its rows in AddTo.
//
// Guarantees:
// - Names are learnt while their frames are on the stack, so their classes are loaded. Lambdas have their stable names; linkage,
//   frames of hidden classes without such a name, and probes with what they call are left out. An object's class that has no
//   stable name is called without the number that HotSpot gave it.
// - A virtual thread's stack ends at its own first frame. If no frame is left, as in native code that calls JNI, the stack has the
//   one frame (no Java code).native.
// - No lock is held while the JVM is called, so a thread that is suspended here stops no other.
// - Runs no Java code, and leaves no exception pending and no local reference behind.
// - Bounded: at most kMostFrames of a stack, the innermost, and `most_bytes` in all. What finds no room is kNone, and counted.
// Threads: Stack, Type and Thread on any attached thread in the live phase, without a pending exception (PendingException);
// Register before the recording begins; Write as Recorder::Write; the rest on any thread.
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
#include "agent/vm/classes/names/frame_methods.h"
#include "agent/vm/recorder/thread_names.h"
#include "writer/base/arena.h"
#include "writer/base/chunked_vector.h"
#include "writer/base/code_stamp.h"
#include "writer/base/hash.h"
#include "writer/base/hash_index.h"
#include "writer/base/murmur3.h"
#include "writer/base/string_pool.h"
#include "writer/profile/event_tables.h"
#include "writer/records/raw/record_sink.h"

namespace iprof::vm {

class EventStacks;

// A table that is being made of the rows of all recorders.
class EventRows {
 public:
  EventTables tables;

  // Numbers of EventStacks as those of the table. nullopt: no stack.
  std::optional<EventStack> Stack(uint32_t number);
  // Of kNone: not known.
  EventType Type(uint32_t number);
  EventThread Thread(uint32_t number);

 private:
  friend class EventStacks;
  explicit EventRows(EventStacks& stacks) : stacks_(stacks) {}

  EventStacks& stacks_;
  size_t resolved_ =
      0;  // of the places: it is known that the others have no position in a class file
  std::unordered_map<uint32_t, EventStack> known_stacks_;
  std::unordered_map<uint32_t, EventMethod> known_methods_;
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
    // What its rows take. It locks nothing that is locked in a call of EventStacks.
    virtual size_t row_bytes() const = 0;
  };

  // `to_class_file` is null if no code is rewritten. The budget must outlive this object.
  EventStacks(TypeNaming naming, ToClassFile to_class_file, bool with_lines,
              instrument::MemoryBudget& budget, size_t most_bytes);
  EventStacks(const EventStacks&) = delete;
  EventStacks& operator=(const EventStacks&) = delete;

  // The number of a thread's stack, usually the current one's. Of another one, frames are left out whose class is unloaded
  // meanwhile. The environment can get line numbers.
  uint32_t Stack(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);
  // The number of a class.
  uint32_t Type(jvmtiEnv* jvmti, JNIEnv* jni, jclass type);
  // The number of a thread's folded name.
  uint32_t Thread(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

  // Each source once.
  void Register(Source& source) { sources_.push_back(&source); }
  // Called by each source in its Recorder::Write. The last one that is registered writes the part, with the rows of all. A
  // log that may repeat gets the last part again, until 200 times the CPU time has passed that making it took.
  void Write(JNIEnv* jni, RecordSink& sink, const Source& caller);

  // Whether rows may take more memory. Counts refusals.
  bool HasRoom();
  // How many stacks, classes and rows found no room.
  uint64_t without_room() const { return without_room_.load(std::memory_order_relaxed); }
  // Brings the part of the budget up to date.
  void ReportMemory();
  size_t bytes();

 private:
  friend class EventRows;

  // A frame as the JVM gives it. `length` is that of the code, where code may be rewritten; otherwise 0.
  struct RawFrame {
    jmethodID method;
    jlocation at;
    uint64_t length;
    bool operator==(const RawFrame&) const = default;
  };
  struct RawFrameHash {
    size_t operator()(const RawFrame& frame) const;
  };
  // Texts, by number.
  struct Method {
    uint32_t class_descriptor;
    uint32_t type;
    uint32_t name;
    uint32_t descriptor;
    bool operator==(const Method&) const = default;
  };
  static constexpr int32_t kUnknown = -1;
  struct Place {
    uint32_t method;
    int32_t running;
    CodeStamp code;
    int32_t line;
    int32_t original;  // kUnknown: not known yet
    bool IsSameAs(const Place& other) const {
      return method == other.method && running == other.running && code == other.code &&
             line == other.line;
    }
  };
  // What a raw frame is.
  struct Known {
    FrameKind kind;
    uint32_t place;  // of an ordinary frame
  };
  struct Learnt {
    RawFrame frame;
    FrameMethod method;
    int32_t line;
  };
  struct Interned {
    const uint32_t* places;
    uint32_t depth;
  };
  // By the hash of its raw frames, which no other stack has.
  struct RawStack {
    Hash128 hash;
    uint32_t number;
  };
  // A class that is named by its signature, and its name: texts, by number.
  struct SignedType {
    uint32_t signature;
    uint32_t name;
  };
  struct NamedFrame {
    uint32_t number;  // of the method
    std::string_view type, name, descriptor;
    int32_t bci;
    int32_t line;
  };

  static void AddLengths(jvmtiEnv* jvmti, std::span<RawFrame> frames);
  static Learnt NoJavaCode();
  Learnt Learn(jvmtiEnv* jvmti, JNIEnv* jni, const RawFrame& frame) const;
  int32_t LineAt(jvmtiEnv* jvmti, const RawFrame& frame) const;
  // With the mutex held.
  uint32_t FindStack(const Hash128& hash) const;
  // kNone: a frame is not known, and is in `unknown`.
  uint32_t AddStack(const Hash128& hash, std::span<const RawFrame> frames,
                    std::vector<RawFrame>& unknown);
  Known Intern(const Learnt& learnt);
  uint32_t InternPlace(const Place& place);
  uint32_t InternStack(std::span<const uint32_t> places);
  bool HasRoomLocked();
  size_t BytesLocked() const;
  // Finds the positions in class files that are not known yet, from this place on. Returns how many places there are.
  size_t ResolveFrom(size_t first);
  // Sets the number behind the last place whose position is not known.
  std::vector<NamedFrame> FramesOf(uint32_t stack, size_t* unknown_end);

  const TypeNaming naming_;
  const ToClassFile to_class_file_;
  const bool with_lines_;
  instrument::MemoryBudget& budget_;
  const size_t most_bytes_;
  std::vector<Source*> sources_;
  std::atomic<uint64_t> without_room_{0};
  std::mutex mutex_;  // guards the rest but thread_names_; held for no call of anything else
  StringPool texts_;
  ChunkedVector<Method> methods_;
  HashIndex method_index_;
  ChunkedVector<Place> places_;
  HashIndex place_index_;
  Arena<uint32_t> stack_places_;
  ChunkedVector<Interned> stacks_;
  HashIndex stack_index_;
  std::vector<SignedType> types_;
  HashIndex type_index_;
  // These forget all when they have too many: raw frames and stacks can be learnt again.
  std::unordered_map<RawFrame, Known, RawFrameHash> raw_frames_;
  std::vector<RawStack> raw_stacks_;
  HashIndex raw_stack_index_;
  // Used by Write into a log alone. The text is changed with the mutex held.
  std::string last_in_log_;
  uint64_t next_ns_ = 0;
  ThreadNames thread_names_;
};

}  // namespace iprof::vm
