// The output of `iprof show`. Each Show function prints one profile to the console.
//
// Guarantees: does not change the profile. The same profile and options give the same output.
// Threads: one, because the console has one.
// Failure: the console remembers a failed write. Throws nothing but std::bad_alloc.
#pragma once

#include <string>
#include <vector>

#include "cli/console.h"
#include "writer/model/model.h"

namespace iprof::cli {

struct ShowOptions {
  std::string file;
  std::vector<Table> tables;
  size_t topn = 10;
  size_t cutoff = 0;
  bool detailed = false;
  bool all = false;
  std::string method;
};

void ShowText(Console& console, const Profile& profile, const ShowOptions& options);
void ShowJson(Console& console, const Profile& profile, const ShowOptions& options);

// False if no method matches the pattern.
bool ShowMethodsText(Console& console, const Profile& profile, const ShowOptions& options);
bool ShowMethodsJson(Console& console, const Profile& profile, const ShowOptions& options);

// The shares of --detailed-summary.
inline constexpr double kDetailedShares[] = {0.1, 0.5, 0.9, 0.99, 0.999};

// The entries of a table to list: hottest first, limited by the options.
std::vector<EntryIndex> EntriesToList(const Profile& profile, Table table,
                                      const ShowOptions& options);

// "53: 90.00%, 14: 10.00%" or "a.B: 75.00%, a.C: 25.00%": the outcomes of one entry, largest first;
// escaped.
std::string DescribeOutcomes(const Profile& profile, Table table, EntryIndex entry, size_t most);

}  // namespace iprof::cli
