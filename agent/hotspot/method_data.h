// MethodData: HotSpot's own counters of one method: branches, switches, receivers, type checks.
//
// A MethodData is a sequence of records, each with a tag, the bci of its instruction, and cells of
// eight bytes. How many cells a record has follows from its tag, from two flags of the JVM, and, for
// records of classes, from whether they have an extra cell: up to JDK 21 builds with JVMCI do. The
// tables do not say which, so parsing finds it out: see VoteForExtraCell.
//
// Guarantees: pure functions over copied words. A parsed MethodData ends exactly where it should,
// its positions rise, and every record is on an instruction that fits its kind.
// Threads: any. Failure: nullopt for what does not parse; the caller counts it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent/classfile/opcodes.h"
#include "writer/base/short_list.h"

namespace iprof::hotspot {

enum class DataTag : uint8_t {
  kNone,
  kBit,
  kCounter,
  kJump,
  kReceiverType,  // of a type check
  kVirtualCall,
  kRet,
  kBranch,
  kMultiBranch,
  kArgumentInfo,
  kCallType,  // kCounter with types of arguments
  kVirtualCallType,
  kParametersType,
  kSpeculativeTrap,
};

inline constexpr uint32_t kMostTypeRows = 8;  // HotSpot's largest TypeProfileWidth

struct DataShape {
  uint32_t type_rows = 2;  // TypeProfileWidth, at most kMostTypeRows
  uint32_t ret_rows = 2;   // BciProfileWidth
  bool has_extra_cell = false;
};

struct DataRecord {
  DataTag tag;
  uint32_t bci;
  std::span<const uint64_t> cells;
};

// The records; they refer to `words`. Checks everything but the instructions.
std::optional<std::vector<DataRecord>> SplitMethodData(std::span<const uint64_t> words,
                                                       const DataShape& shape);

// Takes from the counts of a MethodData those that were in it earlier. `earlier` refers to classes that were
// lower by `moved`, modulo 2^64. Returns whether any count is left. nullopt if these are not the same records, or if a
// count was larger then: `words` mean nothing afterwards.
std::optional<bool> SubtractMethodData(std::span<uint64_t> words, std::span<const uint64_t> earlier,
                                       const DataShape& shape, uint64_t moved);

// Whether a record of this kind may belong to the instruction.
bool FitsInstruction(DataTag tag, classfile::Op op);

// Whether MethodDatas have the extra cell: the shape with which more of them parse. If there are
// too few to decide, `fallback`.
bool VoteForExtraCell(std::span<const std::span<const uint64_t>> method_datas, DataShape shape,
                      bool fallback);

// The classes of a receiver or type-check record.
struct TypeRow {
  uint64_t klass;
  uint64_t count;
};
struct TypeRows {
  std::array<TypeRow, kMostTypeRows> slots;
  size_t used = 0;
  // Below zero: type checks that failed (up to JDK 21, where those of compiled code are in no row).
  int64_t unlisted = 0;
  bool is_full = false;  // no free row: more classes may have been seen

  std::span<const TypeRow> rows() const { return std::span(slots).first(used); }
};
TypeRows ReadTypeRows(const DataRecord& record, const DataShape& shape);

// The edges of a branch or switch, in the order of SuccessorBcis: for an if taken and not taken;
// for a switch its keys, then the default. Empty for other records.
using EdgeCounts = ShortList<uint64_t, 2>;
EdgeCounts ReadEdges(const DataRecord& record);

// How often a kCounter, kCallType or kJump record was executed.
std::optional<uint64_t> ReadCount(const DataRecord& record);

}  // namespace iprof::hotspot
