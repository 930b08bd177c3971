#include "writer/ops/check_names.h"

#include <algorithm>
#include <utility>

#include "writer/names/typed_names.h"

namespace iprof {
namespace {

constexpr size_t kAddressDigits = 16;  // of a 64-bit address, as HotSpot prints it

std::string WrongArrayForm(std::string_view name) {
  const size_t dimensions = name.find_first_not_of('[');
  const std::string_view element =
      dimensions == std::string_view::npos ? std::string_view() : name.substr(dimensions);
  if (element.size() == 1 &&
      std::string_view("ZBSCIFJD").find(element[0]) != std::string_view::npos) {
    return {};
  }
  const Descriptor type(element);
  if (!type.IsClass()) return "an array's name such as [I or [La.B;";
  return WrongClassNameForm(type.ClassName().text());
}

}  // namespace

std::string WrongClassNameForm(std::string_view name) {
  if (name.starts_with('[')) return WrongArrayForm(name);
  if (name.ends_with("[]")) return "an array's name such as [I or [La.B;";
  if (name.find_first_of(";[") != std::string_view::npos) return "a class's name such as a.b.C$D";
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {};
  // Only a hidden class's name has a slash, and only one, before its suffix.
  if (name.find('/', slash + 1) != std::string_view::npos ||
      name.find('.', slash + 1) != std::string_view::npos || slash == 0 ||
      slash + 1 == name.size()) {
    return "dots between packages: a.b.C";
  }
  const std::string_view before = name.substr(0, slash);
  const bool hidden = before.find('$') != std::string_view::npos ||
                      before.find('.') != std::string_view::npos ||
                      name.substr(slash + 1).starts_with("0x");
  return hidden ? std::string() : std::string("dots between packages: a.b.C");
}

bool IsUnstableLambdaName(std::string_view name) {
  const size_t lambda = name.find("$$Lambda");
  const size_t slash = name.find("/0x");
  if (lambda == std::string_view::npos || slash == std::string_view::npos) return false;
  const std::string_view digits = name.substr(slash + 3);
  // HotSpot pads the address to 16 digits; a 128-bit hash is longer unless it has many leading
  // zeros.
  return digits.size() <= kAddressDigits;
}

bool IsBlockingMethod(std::string_view declaring_class, std::string_view method) {
  static constexpr std::pair<std::string_view, std::string_view> kBlocking[] = {
      {"java.lang.Object", "wait"},
      {"java.lang.Object", "wait0"},
      {"java.lang.Thread", "sleep"},
      {"java.lang.Thread", "sleep0"},
      {"java.lang.Thread", "sleepNanos"},
      {"java.lang.Thread", "sleepNanos0"},
      {"jdk.internal.misc.Unsafe", "park"},
      {"sun.misc.Unsafe", "park"},
      {"java.util.concurrent.locks.LockSupport", "park"},
      {"java.util.concurrent.locks.LockSupport", "parkNanos"},
      {"java.util.concurrent.locks.LockSupport", "parkUntil"},
  };
  return std::any_of(std::begin(kBlocking), std::end(kBlocking), [&](const auto& blocking) {
    return blocking.first == declaring_class && blocking.second == method;
  });
}

}  // namespace iprof
