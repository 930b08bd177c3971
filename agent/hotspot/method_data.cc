#include "agent/hotspot/method_data.h"

#include <algorithm>

namespace iprof::hotspot {
namespace {

using classfile::Op;

constexpr uint64_t kMostArrayCells = 1 << 20;
constexpr size_t kMostVotes = 1000;
constexpr size_t kMostRecords = 1 << 16;  // one for each position in a method's code

// The cells of a record, without its header; `cells` begins after the header and may hold more.
std::optional<uint64_t> CellsOf(DataTag tag, std::span<const uint64_t> cells,
                                const DataShape& shape) {
  const uint64_t rows = 1 + (shape.has_extra_cell ? 1 : 0) + 2 * uint64_t{shape.type_rows};
  const auto with_array = [&](uint64_t at) -> std::optional<uint64_t> {
    if (at >= cells.size() || cells[at] > kMostArrayCells) return std::nullopt;
    return at + 1 + cells[at];
  };
  switch (tag) {
    case DataTag::kBit:
      return 0;
    case DataTag::kCounter:
      return 1;
    case DataTag::kJump:
      return 2;
    case DataTag::kBranch:
      return 3;
    case DataTag::kReceiverType:
    case DataTag::kVirtualCall:
      return rows;
    case DataTag::kRet:
      return 1 + 3 * uint64_t{shape.ret_rows};
    case DataTag::kMultiBranch:
      return with_array(0);
    case DataTag::kCallType:
      return with_array(1);
    case DataTag::kVirtualCallType:
      return with_array(rows);
    default:
      return std::nullopt;  // not before the end of the data
  }
}

// Where the counts of a record are that are no receivers: first cell, and the distance to the next.
struct CountCells {
  size_t first = 0, step = 1, end = 0;
};

CountCells CountCellsOf(DataTag tag, size_t cells) {
  switch (tag) {
    case DataTag::kCounter:
    case DataTag::kJump:
    case DataTag::kCallType:
    case DataTag::kReceiverType:
    case DataTag::kVirtualCall:
    case DataTag::kVirtualCallType:
      return {0, 1, 1};
    case DataTag::kBranch:
      return {0, 2, 3};
    case DataTag::kMultiBranch:
      return {1, 2, cells};
    default:
      return {};
  }
}

bool HasTypeRows(DataTag tag) {
  return tag == DataTag::kReceiverType || tag == DataTag::kVirtualCall ||
         tag == DataTag::kVirtualCallType;
}

// The cell of the first row, behind the count of other classes.
size_t FirstRow(const DataShape& shape) { return shape.has_extra_cell ? 2 : 1; }

// Calls visit for each record. False if the words are no records up to their end.
template <typename Visit>
bool ForEachRecord(std::span<const uint64_t> words, const DataShape& shape, Visit visit) {
  int64_t last_bci = -1;
  for (size_t at = 0; at < words.size();) {
    const uint64_t header = words[at++];
    const DataTag tag{static_cast<uint8_t>(header)};
    const auto bci = static_cast<uint32_t>(header >> 16 & 0xFFFF);
    const auto cells = CellsOf(tag, words.subspan(at), shape);
    if (!cells || *cells > words.size() - at || bci <= last_bci) return false;
    visit(DataRecord{tag, bci, words.subspan(at, *cells)});
    last_bci = bci;
    at += *cells;
  }
  return true;
}

bool Parses(std::span<const uint64_t> words, const DataShape& shape) {
  return ForEachRecord(words, shape, [](const DataRecord&) {});
}

}  // namespace

std::optional<std::vector<DataRecord>> SplitMethodData(std::span<const uint64_t> words,
                                                       const DataShape& shape) {
  constexpr size_t kUsualWords = 3;  // of a record
  std::vector<DataRecord> records;
  records.reserve(std::min(words.size() / kUsualWords, kMostRecords));
  if (!ForEachRecord(words, shape, [&](const DataRecord& record) { records.push_back(record); }))
    return std::nullopt;
  return records;
}

std::optional<bool> SubtractMethodData(std::span<uint64_t> words, std::span<const uint64_t> earlier,
                                       const DataShape& shape, uint64_t moved) {
  const auto now = SplitMethodData(words, shape);
  const auto before = SplitMethodData(earlier, shape);
  if (!now || !before || now->size() != before->size()) return std::nullopt;
  bool has_counts = false;
  for (size_t i = 0; i < now->size(); ++i) {
    const DataRecord& record = (*now)[i];
    const DataRecord& old = (*before)[i];
    if (record.tag != old.tag || record.bci != old.bci || record.cells.size() != old.cells.size())
      return std::nullopt;
    const std::span<uint64_t> cells =
        words.subspan(static_cast<size_t>(record.cells.data() - words.data()), record.cells.size());
    const auto subtract = [&](size_t cell) {
      // Type checks that failed count below zero.
      const auto left = static_cast<int64_t>(cells[cell]);
      const auto right = static_cast<int64_t>(old.cells[cell]);
      if (right >= 0 ? left < right : left > right) return false;
      cells[cell] -= old.cells[cell];
      has_counts |= cells[cell] != 0;
      return true;
    };
    const CountCells counts = CountCellsOf(record.tag, cells.size());
    for (size_t cell = counts.first; cell < counts.end; cell += counts.step) {
      if (!subtract(cell)) return std::nullopt;
    }
    if (!HasTypeRows(record.tag)) continue;
    const size_t end = FirstRow(shape) + 2 * size_t{shape.type_rows};
    for (size_t row = FirstRow(shape); row < end; row += 2) {
      const uint64_t klass = cells[row];
      // The row of a class that was unloaded is used again.
      const bool is_same = klass != 0 && old.cells[row] != 0 && klass == old.cells[row] + moved;
      if (is_same && !subtract(row + 1)) return std::nullopt;
      has_counts |= klass != 0 && cells[row + 1] != 0;
    }
  }
  return has_counts;
}

bool FitsInstruction(DataTag tag, Op op) {
  const bool is_virtual = op == Op::invokevirtual || op == Op::invokeinterface;
  const bool is_check = op == Op::checkcast || op == Op:: instanceof || op == Op::aastore;
  switch (tag) {
    case DataTag::kBit:
    case DataTag::kReceiverType:
      return is_check;
    case DataTag::kCounter:
    case DataTag::kCallType:
      return classfile::IsInvoke(op) && !is_virtual;
    case DataTag::kVirtualCall:
    case DataTag::kVirtualCallType:
      return is_virtual;
    case DataTag::kJump:
      return classfile::IsGoto(op) || classfile::IsJsr(op);
    case DataTag::kRet:
      return op == Op::ret;
    case DataTag::kBranch:
      return classfile::IsConditionalBranch(op);
    case DataTag::kMultiBranch:
      return classfile::IsSwitch(op);
    default:
      return false;
  }
}

bool VoteForExtraCell(std::span<const std::span<const uint64_t>> method_datas, DataShape shape,
                      bool fallback) {
  size_t with = 0;
  size_t without = 0;
  for (const std::span<const uint64_t> words : method_datas) {
    if (with + without == kMostVotes) break;
    shape.has_extra_cell = true;
    const bool fits_with = Parses(words, shape);
    shape.has_extra_cell = false;
    const bool fits_without = Parses(words, shape);
    if (fits_with != fits_without) ++(fits_with ? with : without);
  }
  return with == without ? fallback : with > without;
}

TypeRows ReadTypeRows(const DataRecord& record, const DataShape& shape) {
  TypeRows result{};
  const size_t first = FirstRow(shape);
  if (record.cells.size() < first + 2 * size_t{shape.type_rows}) return result;
  result.unlisted = static_cast<int64_t>(record.cells[0]);
  result.is_full = true;
  for (size_t row = 0; row < std::min(shape.type_rows, kMostTypeRows); ++row) {
    const uint64_t klass = record.cells[first + 2 * row];
    const uint64_t count = record.cells[first + 2 * row + 1];
    if (klass == 0) {
      result.is_full = false;
    } else if (count > 0) {
      result.slots[result.used++] = {klass, count};
    }
  }
  return result;
}

EdgeCounts ReadEdges(const DataRecord& record) {
  if (record.tag == DataTag::kBranch) return {record.cells[0], record.cells[2]};
  EdgeCounts edges;
  if (record.tag != DataTag::kMultiBranch) return edges;
  // The length, then pairs of count and displacement, the default first.
  for (size_t cell = 3; cell + 1 < record.cells.size(); cell += 2)
    edges.push_back(record.cells[cell]);
  if (record.cells.size() > 2) edges.push_back(record.cells[1]);
  return edges;
}

std::optional<uint64_t> ReadCount(const DataRecord& record) {
  if (record.tag == DataTag::kCounter || record.tag == DataTag::kCallType ||
      record.tag == DataTag::kJump)
    return record.cells[0];
  return std::nullopt;
}

}  // namespace iprof::hotspot
