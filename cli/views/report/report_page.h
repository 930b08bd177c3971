// The page of a report: one HTML file with its script, its style and its data in it.
//
// Guarantees: the page's own policy allows this script and this style, by hash, and nothing else: no network, no other
// script, no HTML from texts. The data are in an application/json element; they must have no '<' (JsonBuilder::For::kPage).
// Threads: any; a pure function. Failure: that of the sink.
#pragma once

#include <string_view>

#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof::report {

Status WriteReportPage(std::string_view data, ByteSink& sink);
// Its bytes without data.
size_t EmptyPageBytes();

}  // namespace iprof::report
