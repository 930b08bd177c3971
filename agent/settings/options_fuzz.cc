// With any text after -agentpath's '=', parsing gives options or one printable sentence.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/settings/options.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = iprof::vm::ParseOptions(text);
  if (!parsed.ok()) {
    const std::string message = parsed.status().message();
    if (message.empty() || message.size() > 600) std::abort();
    for (char c : message) {
      if (static_cast<unsigned char>(c) < 0x20) std::abort();
    }
  } else if (parsed->options.verbose < 0 || parsed->options.verbose > 3 ||
             parsed->options.out.empty()) {
    std::abort();
  }
  static_cast<void>(iprof::vm::AsksToIgnoreErrors(text));
  return 0;
}
