// A data set: a folder with the profiles of many runs as Parquet files (cli/views/parquet), for `iprof convert`.
//
//   DIR/service=shop/release=1.7/day=2026-11-24/5b1c09f7d2a84e6689c3d1e0f4a7b265.parquet
//
// Guarantees:
//  - The folders are those of Hive's partitions, which DuckDB, Spark and Trino know: special characters are %XX, and what is not known
//    is __HIVE_DEFAULT_PARTITION__, which they read as null. The day is that on which the run began, in UTC.
//  - A file is named by its run. So two runs never have one file, and a later profile of a run replaces the earlier one.
//  - ReadDataSet holds the merged profile and one profile for each thread, not the data set. It gives what `iprof merge` gives.
// Threads: one, because the console has one. Failure: a Status that names the file; std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>

#include "cli/terminal/console.h"
#include "cli/terminal/option_list.h"
#include "writer/base/status.h"
#include "writer/profile/io/atomic_file.h"
#include "writer/profile/model.h"

namespace iprof::cli {

// What rows of a data set say of their run.
class DataSetOptions {
 public:
  void AddTo(OptionList& options);
  bool given() const { return service_row_.given() || release_row_.given() || host_row_.given(); }

  struct Written {
    std::string path;
    size_t rows = 0;
  };
  Result<Written> Write(Console& console, const Profile& profile, const std::string& folder,
                        Readers readers) const;

 private:
  std::string service_;
  std::string release_;
  std::string host_;
  OptionRow service_row_;
  OptionRow release_row_;
  OptionRow host_row_;
};

struct DataSet {
  Profile profile;
  size_t files = 0;
  Readers readers = Readers::kByUmask;  // no more than all its files have
};
// Of all *.parquet in a folder and below, or of one file. Warns as a merge does.
Result<DataSet> ReadDataSet(Console& console, const std::string& path);

}  // namespace iprof::cli
