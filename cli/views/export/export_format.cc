#include "cli/views/export/export_format.h"

#include <algorithm>

namespace iprof {
namespace {

constexpr ExportFormat kFormats[] = {
    {.name = "csv", .help = "one count a line", .write = WriteCsv},
    {.name = "collapsed",
     .help = "stacks for flame-graph tools, one a line",
     .takes_bci = true,
     .one_table = true,
     .write = WriteCollapsed},
    {.name = "pprof",
     .help = "samples and calls for pprof",
     .compressed = true,
     .write = WritePprof},
    {.name = "speedscope", .help = "samples and calls for speedscope", .write = WriteSpeedscope},
    {.name = "hprof",
     .help = "the text of the JDK's old profiler, also with its options, as in "
             "hprof@depth=4,cutoff=0.0001,lineno=y,thread=n",
     .needs_samples = true,
     .parse = ParseHprofOptions,
     .write = WriteHprof},
    {.name = "lcov",
     .help = "executions of lines and branches for genhtml and services for coverage",
     .needs_coverage = true,
     .write = WriteLcov},
    {.name = "jacoco",
     .help = "the XML of JaCoCo's reports, for tools that read that",
     .needs_coverage = true,
     .write = WriteJacoco},
};

}  // namespace

std::span<const ExportFormat> ExportFormats() { return kFormats; }

const ExportFormat* FindExportFormat(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                         [&](const ExportFormat& f) { return f.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace iprof
