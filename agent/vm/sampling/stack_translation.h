// StackTranslation: from raw stacks (method keys, and bcis in the running bytecode) to those of a
// profile.
//
// What happens to a frame:
// - A method with a name is written under its name. The BciMap translates its bci to the original
//   bytecode's, by the version of the code that the sample is from (CodeStamp).
// - A caller whose position is no call, or is not known, is left out with all that called it: the stack ends
//   before it. (Many instructions make the JVM load or initialise a class. An image has no call there.)
// - The executing method is written in any case. If its position is not known, it has 0.
// - A native method is a frame. It has no bytecode (HotSpot gives the bci -3), and the format
//   forbids negative bcis, so its bci is 0, where every method begins. Compiled code without a
//   position (a synchronised method's lock) also has 0.
// - Linkage is left out: LambdaForm$… and the other hidden classes of java.lang.invoke, and its
//   …$Holder classes. An image has no such frames.
// - Probes are left out with everything that they call: the time counts for the method that
//   contains the probe.
// - Other hidden classes (lambdas) get their stable name from HiddenClassNames. If it has none (the
//   class's bytes were never seen), the frame is left out and counted: HotSpot's own name is valid
//   only in this run, and no image build could look it up.
// - A virtual thread's frames end at its continuation's entry; the carrier's frames below it are
//   left out.
// - A key without a name (the class was prepared before the agent listened, or the method runs old
//   code) is left out and counted, and so is all that called it, unless nothing else is left.
// Stacks begin with the executing frame and end with the thread's first; behind it is a frame with the thread's name, if that is
// known, and the period in which the stack was seen (writer/profile/sample_threads.h).
//
// Guarantees: methods are numbered from 0 on, in the order in which they are met, and keep their
// numbers and texts. A method is looked up once, and so is each of its positions until
// ForgetPositions. Knows no JVM, so it is tested without one.
// Threads: any normal thread, one at a time.
// Failure: what is left out is counted in SampleWriteCounts; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "agent/sampling/core/trace_table.h"
#include "agent/vm/classes/names/frame_methods.h"
#include "agent/vm/classes/names/hidden_class_names.h"
#include "agent/vm/recorder/thread_names.h"
#include "agent/vm/sampling/line_tables.h"
#include "agent/vm/sampling/sample_baseline.h"
#include "agent/vm/sampling/sampling_methods.h"
#include "writer/profile/model.h"

namespace iprof::vm {

// A bci in a running method, and that in the class file: the same if the method was not rewritten,
// and nullopt if it is not known.
struct RunningBci {
  SampledMethod method;
  Bci running;
  CodeStamp code = {};  // of the code that ran
  std::optional<Bci> original = std::nullopt;
  uint32_t original_length = 0;  // of the method's code in the class file; 0: not known
  bool is_recorded = false;      // otherwise no other code is known
};

class BciMap {
 public:
  virtual ~BciMap() = default;
  // Fills the last three. Many at once cost less than one by one.
  virtual void Translate(std::span<RunningBci> bcis) const = 0;
  // Whether a method that is not recorded may have had other code all the same.
  virtual bool MayHaveForgotten() const { return false; }
};

struct SampleWriteCounts {
  uint64_t contexts = 0;      // entries written
  uint64_t weight = 0;        // the sum of their weights
  uint64_t cut_contexts = 0;  // their outer frames are missing (depth=)
  uint64_t empty_weight = 0;  // weight of stacks without any frame left
  // frames of distinct stacks that were left out, as are the next three
  uint64_t linkage_frames = 0;
  uint64_t carrier_frames = 0;
  uint64_t unnamed_frames = 0;
  uint64_t unstable_frames = 0;
  // distinct stacks whose outer frames were left out at a position that is no call, and at one that is not known
  uint64_t ends_at_no_call = 0;
  uint64_t ends_at_unknown = 0;
  uint64_t unknown_leaves = 0;  // distinct stacks whose innermost position is not known
};

// What is known of the program besides its stacks. If `names` or `bcis` is null, names or bcis are
// not translated.
struct SampleLookup {
  const SampledMethods& methods;
  const HiddenClassNames* names = nullptr;
  const BciMap* bcis = nullptr;
  const LineTables* lines = nullptr;
  const SampleBaseline* since = nullptr;  // only what came after it
  const ThreadNames* threads = nullptr;   // null: stacks do not say their thread
};

// A method, or a thread (writer/profile/sample_threads.h), whose name is UTF-8.
struct TranslatedMethod {
  std::string type;  // as in a profile, but in the JVM's encoding
  std::string name;
  std::string descriptor;
};

struct TranslatedFrame {
  uint32_t method;  // its number
  Bci bci;
  std::optional<int32_t> line;
};

struct TranslatedStack {
  std::vector<TranslatedFrame> frames;  // may be empty
  bool whole = true;                    // false: outer frames are missing (depth=)
};

class StackTranslation {
 public:
  // Counts in `counts` what it leaves out. The result is valid until the next call.
  const TranslatedStack& Translate(const sampling::TraceView& trace, const SampleLookup& lookup,
                                   SampleWriteCounts& counts);
  // Looks up the positions of a stack that will be translated; LearnExpected does it for all of them
  // together, which costs less than one by one.
  void Expect(const sampling::TraceView& trace, const SampleLookup& lookup);
  void LearnExpected(const SampleLookup& lookup);
  const std::vector<TranslatedMethod>& methods() const { return methods_; }
  // Running methods may have other positions from now on, because their classes were changed.
  void ForgetPositions() { bcis_.clear(); }

  size_t bytes() const;

 private:
  // The facts that all frames of one method share.
  struct Resolved {
    FrameKind kind = FrameKind::kUnnamed;
    uint32_t number = 0;           // of an ordinary method
    std::string class_descriptor;  // of an ordinary method, as JVMTI gives it
  };
  struct Position {
    const void* id;
    int32_t bci;
    CodeStamp code;
    bool operator==(const Position&) const = default;
  };
  struct Origin {
    std::optional<Bci> bci;
    uint32_t original_length = 0;
    bool is_recorded = false;
  };
  struct PositionHash {
    size_t operator()(const Position& position) const {
      const size_t at = size_t{position.code.bits()} << 16 | static_cast<size_t>(position.bci);
      return std::hash<const void*>()(position.id) * 31 + at;
    }
  };

  const Resolved& Resolve(const void* id, const SampleLookup& lookup);
  void Name(const SampledMethod& method, const SampleLookup& lookup, Resolved& resolved);
  // What is known without the BciMap is empty.
  Origin OriginOf(const sampling::CallFrame& raw, const SampleLookup& lookup);
  // Frames of Java, without the thread.
  void TranslateFrames(const sampling::TraceView& trace, const SampleLookup& lookup,
                       SampleWriteCounts& counts);
  uint32_t MethodOfThread(uint32_t thread, const ThreadNames* names);
  // Returns false if the stack ends before this frame.
  bool AddFrame(const sampling::CallFrame& raw, const Resolved& resolved,
                const SampleLookup& lookup, SampleWriteCounts& counts);

  std::unordered_map<const void*, Resolved> resolved_;
  std::unordered_map<Position, Origin, PositionHash> bcis_;
  std::unordered_set<Position, PositionHash> expected_;
  std::vector<TranslatedMethod> methods_;
  std::unordered_map<uint32_t, uint32_t>
      of_threads_;  // methods, by the number of the thread's name
  size_t text_bytes_ = 0;
  TranslatedStack stack_;
};

}  // namespace iprof::vm
