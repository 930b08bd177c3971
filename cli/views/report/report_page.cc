#include "cli/views/report/report_page.h"

#include <cassert>

#include "report_page.inc"

namespace iprof::report {
namespace {

std::string_view Page() { return {reinterpret_cast<const char*>(kReportPage), sizeof kReportPage}; }

constexpr std::string_view kDataMark = "{{data}}";

}  // namespace

Status WriteReportPage(std::string_view data, ByteSink& sink) {
  assert(data.find('<') == std::string_view::npos);
  const std::string_view page = Page();
  const size_t mark = page.find(kDataMark);
  for (const std::string_view part :
       {page.substr(0, mark), data, page.substr(mark + kDataMark.size())}) {
    if (Status status = sink.Write(part); !status.ok()) return status;
  }
  return {};
}

size_t EmptyPageBytes() { return Page().size() - kDataMark.size(); }

}  // namespace iprof::report
