// ReadObject and ParseObject: the members of a small JSON object, for values of our own extra keys.
//
// It does not use RapidJSON, because the text of the parts must be kept byte for byte, and because
// RapidJSON rejects lone surrogates, which method names may contain.
//
// Guarantees: those of JsonScanner; no tree is built.
// Threads: one.
// Failure: returns false if the text is not JSON, is not an object, or if `member` returned false;
// the scanner is then somewhere inside the text. Throws nothing but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "writer/profile/io/json_scanner.h"

namespace iprof {

// Calls member(name) before each member's value, until it returns false. `member` must read the
// value. The name is a std::string that is valid during the call.
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

// The object that is the whole text: member(scanner, name) reads a value. `part` is its name in messages.
template <typename Member>
bool ParseObject(std::string_view json, std::string_view part, Member member) {
  StringSource source(json);
  const Place place{.section = part};
  JsonScanner scanner(source, part, place, 0);
  return ReadObject(scanner, [&](const std::string& name) { return member(scanner, name); }) &&
         scanner.ExpectEnd();
}

}  // namespace iprof
