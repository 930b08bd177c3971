// The output of `iprof show`. Each Show function prints one profile to the console.
//
// Guarantees: does not change the profile. The same profile and options give the same output. Lines of text fit
// ShowOptions::layout.
// Threads: one, because the console has one.
// Failure: the console remembers a failed write. Throws nothing but std::bad_alloc.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/files/code_names.h"
#include "cli/terminal/console.h"
#include "cli/terminal/text_layout.h"
#include "writer/ops/hot_set.h"
#include "writer/ops/profile_filter.h"
#include "writer/profile/model.h"

namespace iprof::cli {

struct ShowOptions {
  std::string file;
  std::vector<Table> tables;
  size_t topn = 10;  // 0: everything
  size_t cutoff = 0;
  bool detailed = false;
  bool stats = false;
  bool whole_names = false;
  std::string method;
  ProfileFilter filter;  // was applied to the profile
  Layout layout;
  // Of the whole profile, if a filter was used: shares are shares of these.
  std::array<int64_t, kTableCount> totals{};
  HotSet hot;  // also of the whole profile

  int64_t TotalOf(Table table) const { return totals[static_cast<size_t>(table)]; }
};

void ShowText(Console& console, const Profile& profile, const ShowOptions& options);
void ShowJson(Console& console, const Profile& profile, const ShowOptions& options);

// False if no method matches the pattern.
bool ShowMethodsText(Console& console, const Profile& profile, const ShowOptions& options);
bool ShowMethodsJson(Console& console, const Profile& profile, const ShowOptions& options);

// The first part of ShowText: where the profile comes from, and what is in it.
void ShowHeader(Console& console, const Profile& profile, const ShowOptions& options);

// The shares of --detailed-summary.
inline constexpr double kDetailedShares[] = {0.1, 0.5, 0.9, 0.99, 0.999};

// How many of `size` items are listed.
size_t Listed(const ShowOptions& options, size_t size);
// The entries of a table to list: hottest first, limited by the options.
std::vector<EntryIndex> EntriesToList(const Profile& profile, Table table,
                                      const ShowOptions& options);

// "75.0 % Circle, 25.0 % Square", "90.0 % to line 53, 10.0 % to line 14" or "always to line 53": the outcomes of one
// entry, largest first. Of a site whose entry does not list all classes, shares are of all objects there: "80.0 % Circle,
// 9.0 % Square, 11.0 % other classes".
std::vector<std::string> DescribeOutcomes(const Profile& profile, Table table, EntryIndex entry,
                                          const CodeNames& names);
// As many of them as fit behind an indentation, and "… 53 more".
std::string JoinOutcomes(const std::vector<std::string>& outcomes, const Layout& layout,
                         size_t indent);

}  // namespace iprof::cli
