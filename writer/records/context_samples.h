// ContextSamples: for some calls and branches of a program, at random executions: what they did, and who had called them
// (contexts=all).
//
// Example: of the 512 stacks of a call in List.forEach, 300 were of the class Print and began with the caller Report.write:12:
//   {.outcome = <number of "Print">, .count = 300, .callers = {{<number of Report.write>, 12}, …}}
// All executions of one site had the same chance to be taken. ContextEntries divides the site's exact counts by them.
//
// In a raw file it is a part (raw_format.h) with one member, base64 digits:
//   "contextSamples": {"samples":"AhxK…"}
// A profile does not have this part: there, the entries show it.
//
// Guarantees: DecodeContextSamples reads what EncodeContextSamples writes, and never more than the text has room for.
// Threads: any; pure functions. Failure: nullopt for any other text; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

inline constexpr std::string_view kContextSamplesPart = "contextSamples";

struct ContextSamples {
  struct Method {
    std::string type;  // as in a profile, but in the JVM's encoding
    std::string name;
    std::string descriptor;
    bool operator==(const Method&) const = default;
  };
  struct Caller {
    uint32_t method;  // its number in `methods`
    Bci bci;          // of its call, in the class file
    bool operator==(const Caller&) const = default;
  };
  struct Stack {
    uint32_t
        outcome;  // of a call: the number of the receiver's class in `types`; of a branch: where it went, a bci
    uint32_t count = 1;
    std::vector<Caller> callers = {};  // innermost first; may be cut off anywhere
    bool operator==(const Stack&) const = default;
  };
  struct Site {
    bool is_call;  // otherwise a branch
    uint32_t method;
    Bci bci;
    std::vector<Stack> stacks;
    bool operator==(const Site&) const = default;
  };
  std::vector<Method> methods;
  std::vector<std::string> types;
  std::vector<Site> sites;
  bool operator==(const ContextSamples&) const = default;
};

// A JSON object.
std::string EncodeContextSamples(const ContextSamples& samples);
std::optional<ContextSamples> DecodeContextSamples(std::string_view json);
// The same of what the digits stand for.
std::optional<ContextSamples> ReadContextSamples(std::span<const uint8_t> bytes);

}  // namespace iprof
