// Profile: one iprof profile in memory, used by reader, writer, merge, diff, check and the agent.
//
// Guarantees:
//  - Types are unique by name; methods by (declaring type, name, signature): adding one twice gives
//    the same index.
//  - Contexts are interned in a tree with the outermost callers at the root, so that contexts share
//    caller chains.
//  - Counts are 64-bit and saturate at INT64_MAX (the format's integers are signed); adding never
//    overflows.
//  - Entries are unique per (table, context): adding to an existing one adds its counts.
//  - Indices are dense and stable: they are assigned in order of first appearance and never change.
//    The *file id* of a type or method (its id in the JSON) is kept, too, so that reading and
//    writing gives the same bytes.
//  - Names are well-formed: the JVM's modified UTF-8 is converted to UTF-8 when it is added; only a
//    lone surrogate keeps its three-byte form (and is written as an escape).
// Storage is flat and grows in chunks that never move: memory is proportional to the content, and
// spans and names stay valid as long as the profile (a span of counts only until the same entry is
// added to).
// Threads: one writer at a time; const methods may run in parallel.
// Failure: throws std::bad_alloc, which a caller inside a JVM must catch at its boundary; nothing
// else. Using indices of another profile is a logic error, checked only by assert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writer/profile/first_calls.h"
#include "writer/profile/position_notes.h"
#include "writer/profile/sureness.h"

namespace iprof {

enum class TypeIndex : uint32_t {};
enum class MethodIndex : uint32_t {};
enum class ContextIndex : uint32_t {};

inline constexpr ContextIndex kNoContext{UINT32_MAX};
inline constexpr MethodIndex kNoMethod{
    UINT32_MAX};  // monitor entries: context 0:0 names no real method

enum class Table : uint8_t {
  kCalls,
  kConditionals,
  kVirtualInvokes,
  kMonitors,
  kSamples,
  kInstanceOfs
};
inline constexpr size_t kTableCount = 6;
inline constexpr Table kAllTables[] = {Table::kCalls,          Table::kConditionals,
                                       Table::kVirtualInvokes, Table::kMonitors,
                                       Table::kSamples,        Table::kInstanceOfs};

// The JSON key of a table, "callCountProfiles" and so on (instanceof: the consumer's spelling).
std::string_view TableKey(Table table);

struct Frame {
  MethodIndex method;
  Bci bci;
  bool operator==(const Frame&) const = default;
};

// One successor of a branch: conditional tables hold these three integers each.
struct Successor {
  int64_t bci;
  int64_t index;
  int64_t count;
  bool operator==(const Successor&) const = default;
};

// One receiver (or monitor, or tested) class of a site.
struct TypeCount {
  TypeIndex type;
  int64_t count;
  bool operator==(const TypeCount&) const = default;
};

// a + b, saturating; counts are never negative in a valid profile.
int64_t SaturatingAdd(int64_t a, int64_t b);

// a * b, saturating, for weights.
int64_t SaturatingMultiply(int64_t a, int64_t b);

enum class EntryIndex : uint32_t {};  // dense per table, in order of first appearance

// What an entry of this table holds: one count (calls, samples), successors (conditionals) or types
// (the rest).
enum class RecordKind : uint8_t { kCount, kSuccessors, kTypeCounts };
RecordKind RecordKindOf(Table table);

// A top-level key that is no table: its JSON text is kept, and written back.
struct ExtraKey {
  std::string key;   // unescaped
  std::string json;  // the value, one valid JSON text
  bool operator==(const ExtraKey&) const = default;
};

// Longer descriptions are cut off and end with "...". No real name is so long, and a small file
// must not be able to fill the memory.
inline constexpr size_t kMostDescribedBytes = size_t{16} << 10;

// Versions of a method are told apart by so many bits of a hash of their code.
inline constexpr int kCodeHashBits = 36;

// The reader rejects file ids above this, so that there is always a next free id.
inline constexpr int64_t kMaxFileId = int64_t{1} << 62;

class Profile {
 public:
  Profile();
  ~Profile();
  Profile(Profile&&) noexcept;  // the source may only be destroyed or assigned to
  Profile& operator=(Profile&&) noexcept;
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  // The format version that was read ("1.0.0" for a new profile). An option of the writer
  // determines the version that is written.
  const std::string& version() const;
  void set_version(std::string version);

  // Types.

  // Declares ids 0-8 (boolean byte short char int float long double void) and 9 (java.lang.Object).
  // For new profiles; call it first.
  void AddStandardTypes();
  // The name is that of Class.getName(). A new type gets the id after the largest so far.
  TypeIndex AddType(std::string_view name);
  // As above, but a new type gets this id. The caller makes sure that it is in 0..kMaxFileId and
  // that no other type has it.
  TypeIndex AddTypeWithId(std::string_view name, int64_t file_id);
  std::optional<TypeIndex> FindType(std::string_view name) const;
  size_t type_count() const;
  std::string_view TypeName(TypeIndex type) const;
  int64_t TypeFileId(TypeIndex type) const;

  // Methods.

  // signature = {declaring type, return type, parameter types ...}; at least the declaring type.
  MethodIndex AddMethod(std::string_view name, std::span<const TypeIndex> signature);
  MethodIndex AddMethodWithId(std::string_view name, std::span<const TypeIndex> signature,
                              int64_t file_id);
  std::optional<MethodIndex> FindMethod(std::string_view name,
                                        std::span<const TypeIndex> signature) const;
  size_t method_count() const;
  std::string_view MethodName(MethodIndex method) const;
  std::span<const TypeIndex> Signature(MethodIndex method) const;
  TypeIndex DeclaringType(MethodIndex method) const;
  int64_t MethodFileId(MethodIndex method) const;
  // Which version of the method the profile's positions in it belong to: a hash of its code, of
  // which the highest kCodeHashBits are kept. 0: not known.
  void SetCodeHash(MethodIndex method, uint64_t hash);
  uint64_t CodeHash(MethodIndex method) const;
  bool has_code_hashes() const;
  void ForgetCodeHashes();
  // How sure the method's numbers are: of all that were added the least sure; absent before the first one.
  void AddSureness(MethodIndex method, Sureness sureness);
  Sureness SurenessOf(MethodIndex method) const;
  bool has_sureness() const;
  void ForgetSureness();
  // When it was first called. Adds ranks and runs to those that are known.
  void AddFirstCall(MethodIndex method, FirstCall first);
  FirstCall FirstCallOf(MethodIndex method) const;
  bool has_first_calls() const;
  void ForgetFirstCalls();
  // Source lines and callees of positions, as far as they are known.
  PositionNotes& notes();
  const PositionNotes& notes() const;
  // A readable name, "a.b.Outer.name(int, java.lang.String)void"; "[main]" for a thread and "byte[]" for a class (sample_threads.h), "(none)" for
  // kNoMethod. Cut off after kMostDescribedBytes.
  std::string DescribeMethod(MethodIndex method) const;

  // Contexts.

  // A context is a frame and its caller's context. The caller is kNoContext for the outermost frame.
  ContextIndex AddContext(ContextIndex caller, MethodIndex method, Bci bci);
  // Frames innermost first, as in the file; at least one.
  ContextIndex AddContext(std::span<const Frame> frames);
  std::optional<ContextIndex> FindContext(ContextIndex caller, MethodIndex method, Bci bci) const;
  std::optional<ContextIndex> FindContext(std::span<const Frame> frames) const;
  // The context "0:0" of the monitors' table: method kNoMethod, bci 0. It names no method, even if
  // there is a method with id 0.
  ContextIndex AddMonitorContext();
  size_t context_count() const;
  Frame InnermostFrame(ContextIndex context) const;
  ContextIndex Caller(ContextIndex context) const;        // kNoContext at the outermost frame
  size_t Depth(ContextIndex context) const;               // number of frames, at least 1
  std::vector<Frame> Frames(ContextIndex context) const;  // innermost first
  // Calls visit(Frame) for each frame, innermost first, without allocating.
  template <typename Visit>
  void ForEachFrame(ContextIndex context, Visit visit) const {
    for (; context != kNoContext; context = Caller(context)) visit(InnermostFrame(context));
  }
  // The file's spelling with file ids, "12:0<4:7"; the monitors' context gives "0:0".
  std::string FormatContext(ContextIndex context) const;

  // Entries.

  // Order is that of first appearance. Negative counts are the caller's error; sums saturate.
  EntryIndex AddCount(Table table, ContextIndex context, int64_t count);  // kCalls, kSamples
  // conditionals. A list with the entry's shape is added triple by triple; any other list is added
  // by outcome: the same bci is the same outcome with every index (branch_outcomes.h). The
  // latter takes time for both lists.
  EntryIndex AddSuccessors(ContextIndex context, std::span<const Successor> successors);
  // The same, but returns false and adds nothing if the entry has another shape.
  bool TryAddSuccessors(ContextIndex context, std::span<const Successor> successors);
  // kVirtualInvokes, kMonitors, kInstanceOfs. One pair per type; new types are appended.
  EntryIndex AddTypeCounts(Table table, ContextIndex context, std::span<const TypeCount> counts);
  size_t entry_count(Table table) const;
  std::optional<EntryIndex> FindEntry(Table table, ContextIndex context) const;
  ContextIndex EntryContext(Table table, EntryIndex entry) const;
  int64_t EntryCount(Table table, EntryIndex entry) const;  // kCalls, kSamples
  std::span<const Successor> EntrySuccessors(EntryIndex entry) const;
  std::span<const TypeCount> EntryTypeCounts(Table table, EntryIndex entry) const;
  int64_t EntryTotal(Table table,
                     EntryIndex entry) const;  // any table: the sum of the entry's counts
  int64_t Total(Table table) const;            // over all entries, saturating

  // Unknown top-level keys.

  // Replaces the value if the key exists. The value must be one valid JSON text in UTF-8.
  void SetExtra(std::string_view key, std::string_view json);
  void RemoveExtras();
  std::span<const ExtraKey> extras() const;

  // The heap memory of this profile in bytes (for reports and benchmarks; exact except for the
  // allocator's rounding).
  size_t MemoryBytes() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// Loops: for (EntryIndex e : EntriesOf(profile, table)), TypesOf(profile), MethodsOf(profile).
template <typename Index>
class IndexRange {
 public:
  explicit IndexRange(size_t count) : count_(static_cast<uint32_t>(count)) {}
  class Iterator {
   public:
    explicit Iterator(uint32_t at) : at_(at) {}
    Index operator*() const { return Index{at_}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    uint32_t at_;
  };
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(count_); }

 private:
  uint32_t count_;
};
inline IndexRange<TypeIndex> TypesOf(const Profile& p) {
  return IndexRange<TypeIndex>(p.type_count());
}
inline IndexRange<MethodIndex> MethodsOf(const Profile& p) {
  return IndexRange<MethodIndex>(p.method_count());
}
inline IndexRange<EntryIndex> EntriesOf(const Profile& p, Table t) {
  return IndexRange<EntryIndex>(p.entry_count(t));
}

}  // namespace iprof
