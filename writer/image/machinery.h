// Machinery: the JDK's code that only a JVM runs, as a list of rules with their reasons.
//
// An image resolves modules, links method handles and loads classes when it is built, so it has no
// use for the profile of that code. The list is data: docs/image.md shows it, and a unit test compares
// the two.
//
// Guarantees: looks at names only; the first rule that matches decides. Constant data, any thread,
// never fails.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace iprof {

enum class MachineryKind : uint8_t {
  kWork,   // the JVM's own work, with all that the JDK does for it
  kCalls,  // code through which a JVM calls the program: what it calls is the program's
  kKept,   // not machinery: an exception to the rules behind it
};

struct MachineryRule {
  std::string_view classes;  // '*' stands for any characters
  std::string_view methods;  // names; the same
  MachineryKind kind;
  std::string_view reason;  // why an image does not run it, or for kKept why it does
};

std::span<const MachineryRule> MachineryRules();

// The rule for this method, or null where it is no machinery. Names are what Class.getName() gives.
const MachineryRule* FindMachinery(std::string_view class_name, std::string_view method);

// Whether a class belongs to java.base or the like, by its name: what machinery uses for its work.
bool IsPlatformClass(std::string_view class_name);

}  // namespace iprof
