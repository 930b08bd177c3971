#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "cli/views/coverage/coverage.h"
#include "cli/views/export/buffered_text.h"
#include "cli/views/export/export_format.h"
#include "writer/names/type_names.h"

namespace iprof {
namespace {

// One line of text.
std::string Plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return text;
}

// "Cart$Item.total(int;java.lang.String)double": without commas, because lcov's tools read a name up to the first one.
std::string NameOf(const CoveredClass& of, const CoveredMethod& method) {
  std::string name = of.name.substr(of.name.rfind('/') + 1) + "." + method.name;
  if (const auto types = SignatureOf(method.descriptor)) {
    name += "(";
    for (size_t t = 1; t < types->size(); ++t) name += (t == 1 ? "" : ";") + (*types)[t];
    name += ")" + types->front();
  }
  std::replace(name.begin(), name.end(), ',', '?');
  return Plain(std::move(name));
}

class FileText {
 public:
  FileText(const CoveredFile& file, BufferedText& lines) : file_(file), lines_(lines) {}

  void Write() {
    Line("TN:");
    Line("SF:{}", Plain(file_.classes().front()->source_path));
    WriteFunctions();
    WriteBranches();
    size_t hit = 0;
    const std::vector<CoveredLine> all = file_.Lines();
    for (const CoveredLine& line : all) {
      Line("DA:{},{}", line.line, line.count);
      if (line.count > 0) ++hit;
    }
    Line("LF:{}", all.size());
    Line("LH:{}", hit);
    Line("end_of_record");
    lines_.Continue();
  }

 private:
  template <typename... Values>
  void Line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(lines_.buffer()), format, std::forward<Values>(values)...);
    lines_.buffer() += '\n';
  }

  void WriteFunctions() {
    std::string counts;
    size_t found = 0;
    size_t hit = 0;
    for (const CoveredClass* const each : file_.classes()) {
      for (const CoveredMethod& method : each->methods) {
        if (method.line == 0) continue;
        const std::string name = NameOf(*each, method);
        Line("FN:{},{}", method.line, name);
        counts += fmt::format("FNDA:{},{}\n", method.calls, name);
        ++found;
        if (method.calls > 0) ++hit;
      }
    }
    lines_.buffer() += counts;
    Line("FNF:{}", found);
    Line("FNH:{}", hit);
  }

  void WriteBranches() {
    std::map<int, std::vector<const CoveredBranch*>> by_line;
    for (const CoveredClass* const each : file_.classes()) {
      for (const CoveredMethod& method : each->methods) {
        for (const CoveredBranch& branch : method.branches) {
          if (branch.line != 0) by_line[branch.line].push_back(&branch);
        }
      }
    }
    size_t found = 0;
    size_t hit = 0;
    for (const auto& [line, branches] : by_line) {
      for (size_t number = 0; number < branches.size(); ++number) {
        const CoveredBranch& branch = *branches[number];
        for (size_t way = 0; way < branch.ways.size(); ++way) {
          Line("BRDA:{},{},{},{}", line, number, way,
               branch.ran ? fmt::format("{}", branch.ways[way]) : "-");
          ++found;
          if (branch.ways[way] > 0) ++hit;
        }
      }
    }
    if (found == 0) return;
    Line("BRF:{}", found);
    Line("BRH:{}", hit);
  }

  const CoveredFile& file_;
  BufferedText& lines_;
};

}  // namespace

Status WriteLcov(const Profile& /*profile*/, const ExportOptions& options, ByteSink& sink) {
  BufferedText lines(sink);
  for (const CoveredPackage& package : PackagesOf(*options.coverage)) {
    for (const auto& [name, file] : package.files) FileText(file, lines).Write();
  }
  return lines.Finish();
}

}  // namespace iprof
