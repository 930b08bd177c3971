// Any text gives a command that comes back from its own text, or one printable sentence; any bytes give an
// answer that comes back from its own JSON, or one sentence.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "writer/control/answer.h"
#include "writer/control/command.h"

namespace {

using namespace iprof::control;

void TryCommand(std::string_view text) {
  const auto command = ParseCommand(text);
  if (command.ok()) {
    if (!IsCommand(text)) std::abort();
    const auto again = ParseCommand(FormatCommand(*command));
    // Escaping can make a path longer than a command may be.
    if (again.ok() ? *again != *command : FormatCommand(*command).size() <= kLongestCommand) {
      std::abort();
    }
    return;
  }
  const std::string message = command.status().message();
  if (message.empty() || message.size() > 600) std::abort();
  for (const char c : message) {
    if (static_cast<unsigned char>(c) < 0x20) std::abort();
  }
}

void TryAnswer(std::string_view json) {
  const auto answer = ParseAnswer(json);
  if (!answer.ok()) {
    if (answer.status().message().empty()) std::abort();
    return;
  }
  const std::string text = FormatAnswer(*answer);
  const auto again = ParseAnswer(text);
  if (again.ok() ? *again != *answer : text.size() <= kLongestAnswer) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TryCommand(text);
  TryAnswer(text);
  return 0;
}
