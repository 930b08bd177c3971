// LambdaShape: what the class of a lambda does, from what its invokedynamic instruction gives to LambdaMetafactory.
//
// The class calls the target. Before, it converts the arguments, and afterwards the result: it boxes or
// unboxes them, at most one call each. Whether two instructions make lambdas that do the same decides about the
// numbers in their names (docs/names.md, "The number").
//
// Guarantees: pure; reads malformed descriptors safely. It is not known here which class really declares a static
// method: A.f and B.f count as different, although B may inherit A's f.
// Threads: any. Failure: nullopt for malformed descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iprof::classfile {

// How the running JVM's lambdas unbox an Integer, Long …. It decides whether lambdas with different
// wrapper types do the same.
enum class Unboxing : uint8_t {
  kByWrapper,  // Integer.intValue() and so on, up to JDK 23
  kByNumber,   // Number.intValue() for all of them
};
Unboxing UnboxingOfJdk(int feature_version);

// Flags of altMetafactory. Behind them are the number of the markers, and these.
constexpr int32_t kLambdaIsSerializable = 1;
constexpr int32_t kLambdaHasMarkers = 2;

struct LambdaShape {
  std::string_view factory;  // the instruction's descriptor: (captured values)interface
  std::string_view erased;   // the interface's method, as declared
  std::string_view known;    // and with the types that are known here
  uint8_t kind = 0;          // of the target's handle
  std::string_view owner, name, descriptor;  // the target
  int32_t flags = 0;                         // altMetafactory's
  std::vector<std::string_view> markers;     // additional interfaces
};

// What counts when lambdas are compared, besides their calls.
struct LambdaDetails {
  bool captured = false;
  bool interfaces = false;
};

struct LambdaText {
  std::string text;  // equal for lambdas that do the same
  size_t calls = 0;  // in the lambda's method
};
std::optional<LambdaText> TextOf(const LambdaShape& shape, const LambdaDetails& details,
                                 Unboxing unboxing);

}  // namespace iprof::classfile
