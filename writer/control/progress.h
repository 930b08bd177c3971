// Progress: how far an agent is with a command that takes long, and its JSON: the payload of a message P (message.h). A
// tool that wants to hear it says so in its command.
//
//   {"step":"classes","done":1200,"all":5400}
//
// Guarantees: ParseProgress(FormatProgress(p)) gives p back for numbers below 2^63. The reader skips keys that it does not
// know, and takes any bytes.
// Threads: any; pure. Failure: nullopt for other text, and for steps of another release.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iprof::control {

enum class Step : uint8_t {
  kClasses,  // classes that get their own code back
  kProfile,  // sources of the recording that write into the profile
};

struct Progress {
  Step step = Step::kClasses;
  uint64_t done = 0;
  uint64_t all = 0;
  bool operator==(const Progress&) const = default;
};

std::string FormatProgress(const Progress& progress);
std::optional<Progress> ParseProgress(std::string_view json);

}  // namespace iprof::control
