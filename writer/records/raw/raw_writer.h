// RawWriter: writes a raw file (raw_format.h), one snapshot after the other.
//
// Use: Create; then, each period, Add… what is new, and Publish the numbers. The caller gives out all
// numbers (of classes, pairs, methods, stacks), and gives them out densely from 0.
//
//   auto file = RawWriter::Create(NameOf, header, {.most_bytes = 64 << 20});
//   (*file)->AddClass(0, record);
//   const RawPublication done = (*file)->Publish({.time_ns = now, .counters = counters});
//
// Guarantees:
//  - The file is created as raw_output.h says. Nothing is mapped, and nothing is flushed to disk: what is
//    written survives the process, not the machine.
//  - Add… write nothing: they collect bytes in memory. Publish writes the collected bytes, then the
//    pages of the arrays that differ from those that it overwrites, then the commit. If the process
//    ends in between, the previous generation is intact.
//  - The file never grows above most_bytes. What has no room is left out and counted in losses(): a
//    class with its counters, a pair, a stack. What was written stays and goes on. But where a pair had no room, the
//    site's other pairs read as zeros if they would give wrong shares (raw_pairs.h). Where the frames that are live have no
//    room, the generation is not at rest.
//  - A generation without a new harvest, or without room for it, has the last one, and is not at rest. Example: the
//    harvests of generations 1 to 3 take 2 MB, 3 MB and none, and there is room for 2 MB. All three have that of
//    generation 1.
//  - Publish with equal numbers writes only the commit, and costs one hash of the numbers.
// Threads: one at a time; the owner locks. No JVM is needed.
// Failure: Create returns a Status. A write that fails (disk full, I/O error) fails Publish: the
// previous generation stays the valid one, and the next Publish writes again what is not known to be in
// the file. Add… throw std::bad_alloc, and then have added nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/base/status.h"
#include "writer/base/system_calls.h"
#include "writer/profile/model.h"
#include "writer/records/class_record.h"
#include "writer/records/raw/raw_format.h"
#include "writer/records/unloaded_counts.h"

namespace iprof {

struct RawLimits {
  uint64_t most_bytes = uint64_t{64} << 20;  // of the file; at least kLeastRawBytes is used
};
inline constexpr uint64_t kLeastRawBytes = uint64_t{256} << 10;

// A method on stacks, with the names that it has in a profile, except that `descriptor` is the JVM's.
struct RawMethod {
  std::string_view type;  // "java.lang.String", "app.Main$$Lambda/0x8f…" (a stable name)
  std::string_view name;
  std::string_view descriptor;  // "(I)V"
};

struct RawStackFrame {
  uint32_t method = 0;
  Bci bci = 0;        // in the class file
  int32_t line = -1;  // -1: unknown
  bool operator==(const RawStackFrame&) const = default;
};

// A part of the profile's section "iprofagent" (writer/profile/io/agent_section.h).
struct RawPart {
  std::string_view name;
  std::string_view json;  // a JSON object
};

// What was counted without probes.
struct RawHarvestBytes {
  std::vector<uint8_t> bytes;  // EncodeRawHarvest
  std::string part;            // JSON: the part kHarvestPart, which says what they are
};

// The numbers at one moment. All spans are only used during the call.
struct RawGeneration {
  RunId run = {};                           // what is counted belongs to it
  int64_t time_ns = 0;                      // the moment, in ns since 1970
  std::span<const uint64_t> counters = {};  // by CounterIndex; the recording's part (CountWindow)
  std::span<const uint64_t> pairs = {};     // by number
  std::span<const uint64_t> stacks = {};    // weights by number
  std::span<const RawPart> parts = {};      // those that change; others: AddPart
  // Frames that had not ended, if they are known: MethodKey, number.
  std::span<const std::pair<std::string_view, uint64_t>> live_frames = {};
  // Of the estimates that are among the counters and pairs.
  EstimatedMethods estimated = {};
  // Null: there is no new one.
  std::shared_ptr<const RawHarvestBytes> harvest = {};
  // Nothing was counted while the counters were read, and live_frames are all that there are: the
  // profile is as exact as one that is written at the end. (A recording that is stopped.)
  bool at_rest = false;
};

struct RawPublication {
  Status status;               // not ok: the previous generation is still the valid one
  uint64_t generation = 0;     // 1, 2, …; of the last one that was published
  uint64_t written_bytes = 0;  // by this call
  uint64_t file_bytes = 0;
  // The caller should Rewrite: the file was removed, moved or cut by someone (then the status is not ok), or it
  // was written and is full, and at least a quarter of its log describes what no longer exists.
  bool wants_rewrite = false;
  // The file was to replace another one, whose name now belongs to another program's file. That will not change, so the
  // caller should begin a file with another name.
  bool name_is_taken = false;
};

class RawWriter {
 public:
  // The path for each attempt, 0, 1, …; see RawOutput::Create.
  using NameOf = std::function<std::string(int attempt)>;

  // Creates the file and writes its header.
  static Result<std::unique_ptr<RawWriter>> Create(const NameOf& name_of, const RawHeader& header,
                                                   const RawLimits& limits,
                                                   SystemCalls& calls = SystemCalls::Real());
  // An empty file that replaces this one, under the same name, with its first successful Publish. The caller adds
  // everything again but the last harvest, then destroys this writer. Generations go on counting. See also
  // RawPublication::name_is_taken.
  Result<std::unique_ptr<RawWriter>> Rewrite();

  // Closes the file and leaves it where it is. One that never replaced its predecessor is removed.
  ~RawWriter();
  RawWriter(const RawWriter&) = delete;
  RawWriter& operator=(const RawWriter&) = delete;

  // Removes the file, unless its name now belongs to another one. Nothing is written any more.
  void Remove();

  // The log. See raw_format.h for what the records mean.

  // A class, or what is new about it: the same number again replaces it. If that has no room, the older record stays,
  // and the class counts as lost.
  void AddClass(uint32_t number, const ClassRecord& record);
  // The class with this number is gone; its counters and sites belong to other classes from now on.
  // `counts` are their last values. A number is never given to another class in the same file: a
  // class that is loaded again gets a new one, and the counts of both are added up.
  void AddUnloaded(uint32_t number, const UnloadedCounts& counts);
  // The counts of all classes that were unloaded so far are void, and so is the last harvest: the recording begins again.
  void ForgetUnloaded();
  // A type that is loaded and not counted, and the methods that it declares: name, descriptor. `owner`
  // is the JVM's internal name, empty for an array; `name` is the profile's.
  void AddType(std::string_view owner, std::string_view name,
               std::span<const std::pair<std::string, std::string>> methods);
  // Pair `number` counts objects of the type at the site; an empty type: lost objects. The type's name
  // is Class.getName()'s, as in TypeCounts. A pair keeps its meaning; the count of one that is not used any
  // more is 0.
  void AddPair(uint32_t number, uint32_t site, std::string_view type);
  void AddMethod(uint32_t number, const RawMethod& method);
  // Innermost first; its methods must have been added. `cut`: outer frames are missing.
  void AddStack(uint32_t number, std::span<const RawStackFrame> frames, bool cut);
  void AddPart(const RawPart& part);
  // Counters, ascending, that the next snapshot is the first to find above 0.
  void AddFirst(std::span<const uint32_t> counters);

  // Writes what was added to the log, so that it takes no more memory. It belongs to the file once a
  // generation is published. Publish does this itself.
  Status Flush();
  RawPublication Publish(const RawGeneration& generation);

  const std::string& path() const;
  // The next generation has one, at least an older one.
  bool has_harvest() const;
  // As of the last generation.
  const RawLosses& losses() const;
  uint64_t file_bytes() const;
  // Memory that this object takes, for the agent's budget.
  size_t memory_bytes() const;

 private:
  struct Rep;
  explicit RawWriter(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace iprof
