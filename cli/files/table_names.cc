#include "cli/files/table_names.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/views/parquet/row_names.h"
#include "writer/base/nearest_name.h"

namespace iprof::cli {

std::string_view ShortName(Table table) { return parquet::NameOfTable(table); }

std::optional<Table> TableOfName(std::string_view name) {
  for (const Table table : kAllTables) {
    if (name == ShortName(table) || name == TableKey(table)) return table;
  }
  return {};
}

OptionRow AddTables(OptionList& options, std::vector<std::string>& names) {
  std::vector<std::string> choices;
  std::string joined;
  for (const Table table : kAllTables) {
    choices.emplace_back(ShortName(table));
    joined += (joined.empty() ? "" : "|") + choices.back();
  }
  return options
      .Add("--table", names, "Only this table (repeatable; also accepts the format's key)")
      .OneValueEach()
      .Takes(joined)
      .Check([choices](const std::string& name) -> std::string {
        if (TableOfName(name)) return {};
        const std::string_view nearest = NearestName(name, choices);
        return fmt::format("'{}' is not a table{}", name,
                           nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
      });
}

std::vector<Table> SelectedTables(const std::vector<std::string>& names) {
  std::vector<Table> tables;
  for (const Table table : kAllTables) {
    const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return TableOfName(name) == table;
    });
    if (names.empty() || named) tables.push_back(table);
  }
  return tables;
}

}  // namespace iprof::cli
