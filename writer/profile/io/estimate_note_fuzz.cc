// Any text is no note of estimates, or one that is read again as it was.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "writer/profile/io/estimate_note.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto note = iprof::EstimateNote::Parse(text);
  if (!note) return 0;
  if (iprof::EstimateNote::Parse(note->ToJson()) != note) std::abort();
  for (const auto& [method, calls] : note->calls) {
    if (calls < 0) std::abort();
  }
  return 0;
}
