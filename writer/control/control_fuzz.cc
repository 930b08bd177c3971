// Any text gives a command that comes back from its own text, or one printable sentence; any bytes give an
// answer or progress that comes back from its own JSON, or one sentence; and messages that come back from their own bytes, however
// these are cut.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "writer/control/answer.h"
#include "writer/control/command.h"
#include "writer/control/message.h"
#include "writer/control/progress.h"

namespace {

using namespace iprof::control;

void TryCommand(std::string_view text) {
  const auto command = ParseCommand(text);
  if (command.ok()) {
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
  if (!again.ok() || *again != *answer) std::abort();
}

void TryProgress(std::string_view json) {
  const auto progress = ParseProgress(json);
  if (progress && ParseProgress(FormatProgress(*progress)) != progress) std::abort();
}

struct Heard {
  std::string line;
  std::string bytes;  // of all messages
  bool is_damaged = false;
  bool operator==(const Heard&) const = default;
};

// A line and messages, from pieces of this size.
Heard HearAll(std::string_view bytes, size_t piece) {
  MessageReader reader;
  Heard heard;
  bool has_line = false;
  for (; !heard.is_damaged && !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    reader.Add(bytes.substr(0, piece));
    if (!has_line) {
      const auto line = reader.NextLine();
      heard.is_damaged = !line.ok();
      if (!line.ok() || !*line) continue;
      heard.line = **line;
      has_line = true;
    }
    for (;;) {
      const auto message = reader.Next();
      heard.is_damaged = !message.ok();
      if (!message.ok() || !*message) break;
      heard.bytes += FormatMessage((*message)->kind, (*message)->payload);
    }
  }
  return heard;
}

void TryMessages(std::string_view bytes) {
  const Heard whole = HearAll(bytes, std::max<size_t>(bytes.size(), 1));
  if (HearAll(bytes, 1) != whole) std::abort();
  if (HearAll("\n" + whole.bytes, 7).bytes != whole.bytes) std::abort();
  for (const Peer peer : {Peer::kTool, Peer::kAgent}) {
    const auto greeting = ParseGreeting(whole.line, peer);
    if (!greeting.ok()) continue;
    std::string line = FormatGreeting(*greeting);
    line.pop_back();
    const auto again = ParseGreeting(line, peer);
    if (!again.ok() || *again != *greeting) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TryCommand(text);
  TryAnswer(text);
  TryProgress(text);
  TryMessages(text);
  return 0;
}
