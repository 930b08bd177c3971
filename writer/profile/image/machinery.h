// Machinery: the code of the JDK that only a JVM runs, as a list of rules with their reasons.
//
// An image resolves modules, links method handles and loads classes when it is built, so it cannot
// use the profile of that code. docs/image.md shows the list; a unit test compares the two.
//
// Guarantees: looks at names only; the first rule that matches decides. Allocates nothing.
// Threads: any; constant data. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace iprof {

enum class MachineryKind : uint8_t {
  kWork,   // the JVM's own work, and all JDK code that it calls
  kCalls,  // code through which a JVM calls the program; the callees belong to the program
  kKept,   // not machinery: an exception to the rules that follow
};

struct MachineryRule {
  std::string_view classes;  // '*' stands for any characters
  std::string_view methods;  // names, with '*' as above
  MachineryKind kind;
  std::string_view reason;  // why an image does not run it; for kKept, why it does
};

std::span<const MachineryRule> MachineryRules();

// The rules whose classes this one is among: bit r for MachineryRules()[r]. Names are those of
// Class.getName().
uint64_t MachineryRulesOf(std::string_view class_name);
// The first of the rules that is for this method; null if it is not machinery.
const MachineryRule* FindMachinery(uint64_t rules_of_class, std::string_view method);
const MachineryRule* FindMachinery(std::string_view class_name, std::string_view method);

// Whether a class belongs to java.base or a similar module, judged by its name. Machinery uses
// these classes for its work.
bool IsPlatformClass(std::string_view class_name);

}  // namespace iprof
