// Profiles as rows of Parquet files, one row for each count, so that any database adds up the profiles of a fleet.
//
//   table     method                  position  callers               successor  type       count
//   calls     a.Main.loop(int)void    0         a.Main.main()void:5                         9
//   branches  a.Main.loop(int)void    3                               53                    90
//   branches  a.Main.loop(int)void    3                               14                    10
//   receivers a.Main.loop(int)void    7                                          a.Circle   75
//
// docs/fleet.md describes all columns. A file has the rows of one profile, sorted by method. Its footer has the parts of the
// profile's section "iprofagent" that belong to no position (kIprofKey): the runs, how it was sampled, and so on.
//
// Guarantees:
//  - ReadProfileRows of what WriteProfileRows wrote has the same entries, with the same numbers, the same hashes of code, and
//    these parts. Lines, callees, how sure methods are, first calls, allocations and waits are not in rows.
//  - Of other files with such columns, rows of the same context are added up; successors are those of the same position. Columns
//    that are missing are empty; only table, method, position and count are required. Rows may be in any order.
//  - Reading holds the profile, and a page of each column. Where rows have several versions of a method, the heaviest keeps its
//    positions, as in a merge.
// Threads: any; pure. Failure: a Status that names the file, and the row that is wrong; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/views/parquet/file_reader.h"
#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/model.h"

namespace iprof::parquet {

inline constexpr std::string_view kIprofKey = "iprofagent";
// How many rows the file has. Programs that write another file of these rows may copy the metadata: then it is of other rows.
inline constexpr std::string_view kRowsKey = "iprofagent.rows";

// What a profile says of its run, for rows and names of files.
struct RunFacts {
  std::string
      run;  // the run's identity; of profiles without one, or of several runs, a hash of what is in it
  std::string program;   // of the newest run; empty if it is not known
  int64_t start_ms = 0;  // of the newest run; 0 if it is not known
  int64_t end_ms = 0;

  static RunFacts Of(const Profile& profile);
};

struct RowsWritten {
  size_t rows = 0;
  Status status;
};
// `host` may be empty: not known.
RowsWritten WriteProfileRows(const Profile& profile, const RunFacts& run, std::string_view host,
                             ByteSink& sink);

Result<Profile> ReadProfileRows(RandomBytes bytes, const std::string& name);

}  // namespace iprof::parquet
