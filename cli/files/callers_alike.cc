#include "cli/files/callers_alike.h"

#include <fmt/core.h>

#include <string_view>
#include <vector>

#include "cli/files/profile_files.h"
#include "cli/files/table_names.h"
#include "writer/base/join_text.h"
#include "writer/profile/io/context_form.h"

namespace iprof::cli {
namespace {

// Where only the first one has callers.
std::vector<Table> TablesToPool(const Profile& with, const Profile& without) {
  std::vector<Table> tables;
  for (const Table table : kAllTables) {
    if (table != Table::kSamples && without.entry_count(table) > 0 && HasCallers(with, table) &&
        !HasCallers(without, table))
      tables.push_back(table);
  }
  return tables;
}

void Pool(Console& console, const std::string& name, Profile& with, const Profile& without) {
  const std::vector<Table> tables = TablesToPool(with, without);
  if (tables.empty()) return;
  with = WithoutCallers(with, tables);
  std::vector<std::string_view> names;
  for (const Table table : tables) names.push_back(ShortName(table));
  console.Warn(fmt::format("only {} has {} by caller, so these are compared without callers",
                           NameOfInput(name), JoinText(names, " and ")));
}

}  // namespace

void MakeCallersAlike(Console& console, const std::string& name_a, Profile& a,
                      const std::string& name_b, Profile& b) {
  Pool(console, name_a, a, b);
  Pool(console, name_b, b, a);
}

}  // namespace iprof::cli
