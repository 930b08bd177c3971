#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "cli/views/coverage/coverage.h"
#include "cli/views/export/buffered_text.h"
#include "cli/views/export/export_format.h"
#include "writer/base/utf8.h"
#include "writer/profile/io/run_note.h"

namespace iprof {
namespace {

struct Counter {
  uint64_t missed = 0;
  uint64_t covered = 0;
  void Add(uint64_t all_missed, uint64_t all_covered) {
    missed += all_missed;
    covered += all_covered;
  }
  void AddOne(bool is_covered) { Add(is_covered ? 0 : 1, is_covered ? 1 : 0); }
};

// The counters of an element, in the order of JaCoCo's reports.
struct Counters {
  enum Kind : uint8_t { kInstruction, kBranch, kLine, kComplexity, kMethod, kClass };
  Counter of[6];

  void Add(const Counters& more) {
    for (size_t k = 0; k < std::size(of); ++k) of[k].Add(more.of[k].missed, more.of[k].covered);
  }
};

uint64_t WaysThatRan(const CoveredBranch& branch) {
  return static_cast<uint64_t>(
      std::count_if(branch.ways.begin(), branch.ways.end(), [](int64_t way) { return way > 0; }));
}

// JaCoCo's definitions: the complexity of a method is one, and one more for each way of a branch but its first. One of them is
// covered with the first instruction that ran, the others with each way but one that was taken.
Counters CountersOf(const CoveredMethod& method) {
  Counters counters;
  const bool ran = method.missed < method.instructions;
  counters.of[Counters::kInstruction].Add(method.missed, method.instructions - method.missed);
  counters.of[Counters::kMethod].AddOne(ran);
  counters.of[Counters::kComplexity].AddOne(ran);
  for (const CoveredBranch& branch : method.branches) {
    const uint64_t taken = WaysThatRan(branch);
    const uint64_t ways = branch.ways.size();
    counters.of[Counters::kBranch].Add(ways - taken, taken);
    const uint64_t covered = taken > 1 ? taken - 1 : 0;
    counters.of[Counters::kComplexity].Add(ways - 1 - covered, covered);
  }
  for (const CoveredLine& line : method.lines)
    counters.of[Counters::kLine].AddOne(line.missed < line.instructions);
  return counters;
}

// Lines are counted once, although several methods may have one.
Counter LinesOf(const CoveredFile& file) {
  Counter lines;
  for (const CoveredLine& line : file.Lines()) lines.AddOne(line.missed < line.instructions);
  return lines;
}

class Report {
 public:
  explicit Report(ByteSink& sink) : text_(sink) {}

  Status Write(const Profile& profile, const Coverage& coverage) {
    const std::vector<RunNote> runs = RunList::Of(profile).Runs();
    text_.buffer() =
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        "<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" \"report.dtd\">\n";
    Out("<report name=\"{}\">", Escaped(runs.empty() ? "" : runs.front().program));
    for (const RunNote& run : runs) {
      Out("<sessioninfo id=\"{}\" start=\"{}\" dump=\"{}\"/>", Escaped(run.run), run.start_ms,
          run.end_ms);
    }
    Counters all;
    for (const CoveredPackage& package : PackagesOf(coverage)) all.Add(WritePackage(package));
    WriteCounters(all);
    Out("</report>\n");
    return text_.Finish();
  }

 private:
  template <typename... Values>
  void Out(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_.buffer()), format, std::forward<Values>(values)...);
  }

  // Characters that XML has no form for, lone surrogates among them, become '?'.
  static std::string Escaped(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
      uint32_t code = 0;
      const size_t length = std::max<size_t>(DecodeCodePoint(text, at, &code), 1);
      const bool is_legal =
          code >= ' ' && (code < 0xD800 || code > 0xDFFF) && code != 0xFFFE && code != 0xFFFF;
      switch (code) {
        case '<':
          out += "&lt;";
          break;
        case '>':
          out += "&gt;";
          break;
        case '&':
          out += "&amp;";
          break;
        case '"':
          out += "&quot;";
          break;
        default:
          out += is_legal ? text.substr(at, length) : "?";
      }
      at += length;
    }
    return out;
  }

  Counters WritePackage(const CoveredPackage& package) {
    Out("<package name=\"{}\">", Escaped(package.name));
    Counters all;
    std::map<const CoveredClass*, Counters> classes;
    for (const CoveredClass* const each : package.classes) {
      classes[each] = WriteClass(*each);
      if (each->source_file.empty()) all.Add(classes[each]);
    }
    for (const auto& [name, file] : package.files) {
      Counters counters;
      for (const CoveredClass* const each : file.classes()) counters.Add(classes[each]);
      counters.of[Counters::kLine] = LinesOf(file);
      WriteFile(name, file, counters);
      all.Add(counters);
    }
    WriteCounters(all);
    Out("</package>");
    return all;
  }

  Counters WriteClass(const CoveredClass& of) {
    Out("<class name=\"{}\"", Escaped(of.name));
    if (!of.source_file.empty()) Out(" sourcefilename=\"{}\"", Escaped(of.source_file));
    Out(">");
    Counters all;
    CoveredFile lines;
    lines.Add(of);
    for (const CoveredMethod& method : of.methods) {
      Out("<method name=\"{}\" desc=\"{}\"", Escaped(method.name), Escaped(method.descriptor));
      if (!method.lines.empty()) Out(" line=\"{}\"", method.lines.front().line);
      Out(">");
      const Counters counters = CountersOf(method);
      WriteCounters(counters);
      Out("</method>");
      all.Add(counters);
      text_.Continue();
    }
    all.of[Counters::kLine] = LinesOf(lines);
    all.of[Counters::kClass].AddOne(all.of[Counters::kMethod].covered > 0);
    WriteCounters(all);
    Out("</class>");
    return all;
  }

  void WriteFile(const std::string& name, const CoveredFile& file, const Counters& counters) {
    Out("<sourcefile name=\"{}\">", Escaped(name));
    std::map<int, Counter> branches;
    for (const CoveredClass* const each : file.classes()) {
      for (const CoveredMethod& method : each->methods) {
        for (const CoveredBranch& branch : method.branches) {
          const uint64_t taken = WaysThatRan(branch);
          branches[branch.line].Add(branch.ways.size() - taken, taken);
        }
      }
    }
    for (const CoveredLine& line : file.Lines()) {
      const Counter& of = branches[line.line];
      Out("<line nr=\"{}\" mi=\"{}\" ci=\"{}\" mb=\"{}\" cb=\"{}\"/>", line.line, line.missed,
          line.instructions - line.missed, of.missed, of.covered);
    }
    WriteCounters(counters);
    Out("</sourcefile>");
    text_.Continue();
  }

  void WriteCounters(const Counters& counters) {
    constexpr std::string_view kNames[] = {"INSTRUCTION", "BRANCH", "LINE",
                                           "COMPLEXITY",  "METHOD", "CLASS"};
    for (size_t k = 0; k < std::size(kNames); ++k) {
      const Counter& counter = counters.of[k];
      if (counter.missed + counter.covered > 0) {
        Out("<counter type=\"{}\" missed=\"{}\" covered=\"{}\"/>", kNames[k], counter.missed,
            counter.covered);
      }
    }
  }

  BufferedText text_;
};

}  // namespace

Status WriteJacoco(const Profile& profile, const ExportOptions& options, ByteSink& sink) {
  return Report(sink).Write(profile, *options.coverage);
}

}  // namespace iprof
