// ReadObject: the members of a small JSON object, for values of our own extra keys.
//
// Not RapidJSON, because the parts' text is kept byte for byte, and because method names may hold half
// a surrogate pair, which RapidJSON refuses.
//
// Guarantees: those of JsonScanner; nothing is built. False where the text is not JSON, not an object,
// or `member` said false; the scanner then stands somewhere inside. One thread.
#pragma once

#include <string>
#include <string_view>

#include "writer/io/json_scanner.h"

namespace iprof {

// Calls member(name) with the scanner before each member's value, which it must read, until it says
// false. The name is a std::string that is valid during the call.
template <typename Member>
bool ReadObject(JsonScanner& json, Member member) {
  if (!json.Consume('{')) return false;
  if (json.Consume('}')) return true;
  do {
    std::string_view name;
    if (json.Peek() != '"' || !json.ReadString(&name)) return false;
    const std::string kept(name);
    if (!json.Consume(':') || !member(kept)) return false;
  } while (json.Consume(','));
  return json.Consume('}');
}

}  // namespace iprof
