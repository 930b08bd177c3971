// WriteReportEvents: what a report's page shows of allocations and waits (writer/profile/event_tables.h), as JSON.
//
// The value is one object:
//   methods  [[class, name, name with signature, 1 if it is the JDK's] or [name of a class that was allocated or locked] …]
//   values   [{value, unit: bytes, nanoseconds or count, says, sum, samples if it is sampled, flame, frames, all_frames, undrawn,
//              classes: [name, sum, samples, …], all_classes, threads: [name, sum, samples, …], all_threads} …]
// "flame" is as in report_data.h, but its methods are those of this list; the innermost frame is the class, whose weight there is 0. Samples are the
// objects that were sampled of a class or thread, 0 for waits. "undrawn" is the share that the smallest frames have.
//
// Guarantees: values are those that were recorded. At most `most_frames` frames in all. Deterministic.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>

#include "writer/profile/event_tables.h"
#include "writer/profile/io/json_builder.h"

namespace iprof {

void WriteReportEvents(const EventTables& events, size_t most_frames, JsonBuilder& json);

}  // namespace iprof
