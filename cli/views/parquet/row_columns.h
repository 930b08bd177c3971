// The columns of profile_rows.h, in the order in which they stand in a file.
//
// Guarantees: plain values. Threads: any. Failure: none.
#pragma once

#include <cstddef>

#include "cli/views/parquet/file_format.h"

namespace iprof::parquet {

enum RowColumn : size_t {
  kRunColumn,
  kHostColumn,
  kTimeColumn,
  kCodeColumn,
  kTableColumn,
  kMethodColumn,
  kPositionColumn,
  kCallersColumn,
  kThreadColumn,
  kPeriodColumn,
  kSuccessorColumn,
  kSuccessorIndexColumn,
  kTypeColumn,
  kCountColumn,
  kWeightColumn,
};

// As they are written.
inline constexpr Column kRowColumns[] = {
    {"run", ColumnKind::kText, true},
    {"host", ColumnKind::kText},
    {"time", ColumnKind::kTime},
    {"code_hash", ColumnKind::kInteger},
    {"table", ColumnKind::kText, true},
    {"method", ColumnKind::kText},
    {"position", ColumnKind::kInteger},
    {"callers", ColumnKind::kText},
    {"thread", ColumnKind::kText},
    {"period", ColumnKind::kInteger},
    {"successor", ColumnKind::kInteger},
    {"successor_index", ColumnKind::kInteger},
    {"type", ColumnKind::kText},
    {"count", ColumnKind::kInteger, true},
    {"weight", ColumnKind::kInteger, true},
};

}  // namespace iprof::parquet
