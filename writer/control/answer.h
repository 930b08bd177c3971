// Answer: what an agent says to a command, or to a first load, and its JSON.
//
//   {"iprofagent":1,"command":"stop","outcome":"done","message":"…","status":{…}}
//
// Guarantees: ParseAnswer(FormatAnswer(a)) gives a back for every answer whose texts are UTF-8 (other bytes
// are replaced) and whose numbers are below 2^63. The reader skips keys that it does not know, takes any
// bytes, and refuses more than kLongestAnswer of them.
// Threads: any; pure. Failure: kBadInput, or kUnsupported for a version that we do not know, with one
// sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/control/session_status.h"

namespace iprof::control {

inline constexpr size_t kLongestAnswer = 1 << 20;

enum class Outcome : uint8_t {
  kDone,
  kRefused,  // it does not fit the state, or waited too long: nothing was changed
  kFailed,   // it was begun and did not succeed
  kTaken,    // of a load: another one came first, and the agent runs with its options
};
std::string_view OutcomeName(Outcome outcome);  // "done"

// How the message of a command begins that the program's end has overtaken.
inline constexpr std::string_view kEnding = "the program is ending";

// The word for a first load, which is not a command.
inline constexpr std::string_view kAttachWord = "attach";

struct Answer {
  std::string command;  // VerbName or kAttachWord
  Outcome outcome = Outcome::kDone;
  std::string message;  // one sentence; may be empty if done
  std::optional<SessionStatus> status;

  bool operator==(const Answer&) const = default;
};

std::string FormatAnswer(const Answer& answer);
Result<Answer> ParseAnswer(std::string_view json);

}  // namespace iprof::control
