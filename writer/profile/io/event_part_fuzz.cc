// Any text is no part of events, or one that is written as it is read, also after it was united with itself and multiplied.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "writer/profile/io/event_part.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iprof;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto events = ParseEvents(text);
  if (!events) return 0;
  const std::string written = EventsToJson(*events);
  auto again = ParseEvents(written);
  if (!again || EventsToJson(*again) != written) std::abort();
  again->Unite(*events);
  const std::string united = EventsToJson(*again);
  const auto read = ParseEvents(united);
  if (!read || EventsToJson(*read) != united) std::abort();
  events->Multiply(1);
  if (EventsToJson(*events) != written) std::abort();
  for (const EventTables::Allocation& row : events->allocations()) {
    if (row.bytes < 0 || events->Frames(row.stack).empty()) std::abort();
  }
  return 0;
}
