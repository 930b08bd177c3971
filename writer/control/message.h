// Message: what a tool and an agent say to each other over one connection, as bytes.
//
// The tool says one line, and the agent streams messages until the answer, which is the last:
//
//   tool    iprof/3 command=stop,send=plain\n
//   agent   iprof/3\n
//   agent   D 00 01 00 00 (65,536 bytes of the profile), D 00 00 10 00 (4,096 more), E 00 00 00 00
//   tool    S 00 00 00 00             the profile is in its place; a close instead: it is not
//   agent   A 00 00 00 5c {"command":"stop",…}
//
// A message is a letter, the length of the payload in four bytes, the highest first, and the payload. Each side says
// the version first, in its line.
//
// Guarantees: MessageReader gives back what Format… made, however the bytes are cut. It takes any bytes, and keeps at most
// one message of kLongestPayload. A reader skips messages with letters that it does not know.
// Threads: one at a time per object. Failure: kUnsupported if the peer speaks another version, kBadInput if its bytes are
// no messages; one sentence without control characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::control {

inline constexpr size_t kLongestPayload = 1 << 20;
inline constexpr size_t kLongestLine = 16 * 1024;  // without its end

enum class Kind : char {
  kData = 'D',      // a part of the profile
  kEnd = 'E',       // the profile is whole
  kSaved = 'S',     // of the tool: the profile is in its place
  kAnswer = 'A',    // the last message
  kProgress = 'P',  // progress.h; only to a tool that asks for it, and before the profile
};

struct Message {
  Kind kind = Kind::kAnswer;
  std::string payload;
  bool operator==(const Message&) const = default;
};

enum class Peer : uint8_t { kTool, kAgent };

// The first line, with its end. `request`: of the tool, the text of a command.
std::string FormatGreeting(std::string_view request = {});
// What stands behind the version in a line of this peer, without the line's end.
Result<std::string> ParseGreeting(std::string_view line, Peer peer);
// What a tool of the release before takes for an answer. It says that the agent is of another release.
std::string RefusalForOldTools();

// The payload has at most kLongestPayload bytes.
std::string FormatMessage(Kind kind, std::string_view payload);

class MessageReader {
 public:
  void Add(std::string_view bytes) { bytes_ += bytes; }
  // The next line without its end; nullopt: more bytes are needed.
  Result<std::optional<std::string>> NextLine();
  // The next message; nullopt: more bytes are needed.
  Result<std::optional<Message>> Next();
  bool has_bytes() const { return !bytes_.empty(); }

 private:
  std::string bytes_;  // that are not taken yet
};

}  // namespace iprof::control
