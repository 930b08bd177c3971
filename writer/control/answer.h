// Answer: what an agent says to a command, or to a first load, and its JSON: the payload of the last message (message.h).
//
//   {"command":"stop","outcome":"done","message":"…","status":{…}}
//
// A program decides by outcome, end and status; the message is for people.
//
// Guarantees: ParseAnswer(FormatAnswer(a)) gives a back for every answer whose texts are UTF-8 (other bytes
// are replaced) and whose numbers are below 2^63. The reader skips keys that it does not know, takes any
// bytes.
// Threads: any; pure. Failure: kBadInput, with one sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/control/session_status.h"

namespace iprof::control {

enum class Outcome : uint8_t {
  kDone,
  kRefused,  // it does not fit the state, or waited too long: nothing was changed
  kFailed,   // it was begun and did not succeed
  kTaken,    // of a load: another one came first, and the agent runs with its options
};
std::string_view OutcomeName(Outcome outcome);  // "done"

// What the program's end has to do with a command that is not done.
enum class ProgramEnd : uint8_t {
  kNone,
  kOvertook,  // the end is the reason
  kBesides,   // a stop failed for the reason that the message has, and the program is ending
};

// The message, or its beginning, if the program's end has to do with it.
inline constexpr std::string_view kEnding = "the program is ending";

// The word for a first load, which is not a command.
inline constexpr std::string_view kAttachWord = "attach";

struct Answer {
  std::string command;  // VerbName or kAttachWord
  Outcome outcome = Outcome::kDone;
  std::string message;  // one sentence; may be empty if done
  std::optional<SessionStatus> status = {};
  ProgramEnd end = ProgramEnd::kNone;

  bool operator==(const Answer&) const = default;
};

std::string FormatAnswer(const Answer& answer);
Result<Answer> ParseAnswer(std::string_view json);

}  // namespace iprof::control
