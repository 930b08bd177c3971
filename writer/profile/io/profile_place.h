// Places in a profile's text, and violations of the format at them, as messages show them.
//
// Guarantees: pure. Keys in a path and quoted texts are cut, so that no input makes a long message.
// Threads: any. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iprof {

// A place in a file: byte offset in the (inflated) text, and JSON path.
struct Place {
  uint64_t offset = 0;
  std::string_view section = {};  // top-level key, empty for the root
  int64_t index = -1;             // element of that section, -1: the section itself
  std::string_view member = {};   // "ctx", "records", "signature" ...
  int64_t member_index = -1;      // element of that member
};
// "$.callCountProfiles[12].records[0]"; "$" for the root. Keys that are not plain words are quoted:
// $["a b"].
std::string JsonPath(const Place& place);

struct Violation {
  Place place;
  std::string found;  // shortened to fit into a line
  std::string expected;
};
// "FILE: byte 123, $.types[4].id: found "x", expected an integer"
std::string FormatViolation(std::string_view file, const Violation& violation);

// The text in quotes, with escapes as in JSON; a long text is cut and ends with "...".
std::string ShortQuoted(std::string_view text);

}  // namespace iprof
