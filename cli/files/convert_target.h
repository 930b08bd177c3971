// ConvertTarget: what `iprof convert --to` names: the profile's own format, minified or indented and in
// a chosen version, rows of a data set (data_set.h), or another program's format (cli/views/export), with its own options.
//
// Guarantees: pure. Threads: any.
// Failure: a sentence that says what was probably meant. Throws nothing but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/views/export/export_format.h"

namespace iprof::cli {

struct ConvertTarget {
  const ExportFormat* other = nullptr;  // null: an iprof, or a data set
  bool data_set = false;
  bool pretty = false;
  std::string version;    // "1.0.0"; empty: not named
  ExportOptions options;  // those of the other format that were named: hprof@depth=8

  bool is_profile() const { return other == nullptr && !data_set; }

  // Returns what is wrong with the text, or an empty string.
  static std::string Parse(std::string_view text, ConvertTarget& target);
  // What Parse accepts, without versions: for help and completions.
  static std::vector<std::string> Names();
  // One line that says what each of them is.
  static std::string Description();
};

}  // namespace iprof::cli
