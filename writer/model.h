// Profile: one iprof profile in memory, the hub between reader, writer, merge, diff, check and the agent.
//
// Guarantees:
//  - Types are unique by name; methods by (declaring type, name, signature): adding one twice gives the same index.
//  - Contexts are interned in a tree whose root side is the outermost caller, so shared caller chains cost nothing.
//  - Counts are 64-bit and saturate at INT64_MAX (the format's integers are signed); adding never overflows.
//  - Entries are unique per (table, context): adding to an existing one adds its counts.
//  - Indices are dense and stable: they are handed out in order of first appearance and never change.
//    The *file id* of a type or method (what stands in the JSON) is kept beside it, so that reading and
//    writing again gives the same bytes.
// Not thread-safe: one writer at a time; const methods may run in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iprof {

enum class TypeIndex : uint32_t {};
enum class MethodIndex : uint32_t {};
enum class ContextIndex : uint32_t {};
using Bci = int32_t;

inline constexpr ContextIndex kNoContext{UINT32_MAX};
inline constexpr MethodIndex kNoMethod{UINT32_MAX};  // monitor entries: context 0:0 names no real method

enum class Table : uint8_t { kCalls, kConditionals, kVirtualInvokes, kMonitors, kSamples, kInstanceOfs };
inline constexpr size_t kTableCount = 6;
inline constexpr Table kAllTables[] = {Table::kCalls,    Table::kConditionals, Table::kVirtualInvokes,
                                       Table::kMonitors, Table::kSamples,      Table::kInstanceOfs};

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

}  // namespace iprof
