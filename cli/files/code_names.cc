#include "cli/files/code_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/terminal/terminal_text.h"
#include "writer/names/generated_names.h"

namespace iprof::cli {
namespace {

constexpr size_t kHashDigits = 4;

// HotSpot's own names of hidden classes end with the class's address, which begins with zeros. All
// classes are within 4 GB, so the last eight digits differ.
constexpr std::string_view kAddress = "/0x0000";
constexpr size_t kAddressDigits = 16;
constexpr size_t kDigitsThatDiffer = 8;

std::string_view PrimitiveOf(char letter) {
  constexpr std::array<std::pair<char, std::string_view>, 8> kNames{{{'Z', "boolean"},
                                                                     {'B', "byte"},
                                                                     {'S', "short"},
                                                                     {'C', "char"},
                                                                     {'I', "int"},
                                                                     {'F', "float"},
                                                                     {'J', "long"},
                                                                     {'D', "double"}}};
  for (const auto& [key, name] : kNames) {
    if (key == letter) return name;
  }
  return {};
}

// "Cart$$Lambda/0x605df2a4ffc79be0": "Cart$$Lambda/0x605d…", because the rest means
// nothing to a reader. The number of lambdas that do the same stays: "Cart$$Lambda$605d…_1". So do
// the digits in which HotSpot's own names differ: "Cart$$Lambda/0x…4c001000".
std::string ShortenHash(std::string_view name) {
  constexpr std::string_view kMark = "$$Lambda";
  const size_t mark = name.find(kMark);
  if (mark == std::string_view::npos) return std::string(name);
  const size_t address = name.find(kAddress, mark);
  if (address != std::string_view::npos && name.size() == address + 3 + kAddressDigits) {
    return fmt::format("{}…{}", name.substr(0, address + 3),
                       name.substr(name.size() - kDigitsThatDiffer));
  }
  size_t begin = mark + kMark.size() + 1;  // behind '/' or '$'
  if (begin < name.size() && name.substr(begin).starts_with("0x")) begin += 2;
  if (name.size() <= begin + 2 * kHashDigits) return std::string(name);
  return fmt::format("{}…{}", name.substr(0, begin + kHashDigits),
                     ReadGeneratedName(ProfileName(name)).number);
}

}  // namespace

std::string ShortTypeName(std::string_view name) {
  const size_t dimensions = std::min(name.find_first_not_of('['), name.size());
  std::string_view element = name.substr(dimensions);
  if (dimensions > 0 && element.size() == 1 && !PrimitiveOf(element[0]).empty()) {
    element = PrimitiveOf(element[0]);
  } else if (dimensions > 0 && element.starts_with('L') && element.ends_with(';')) {
    element = element.substr(1, element.size() - 2);
  }
  // Dots behind a '/' belong to the suffix of a hidden class.
  const size_t dot = element.substr(0, element.find('/')).rfind('.');
  if (dot != std::string_view::npos) element.remove_prefix(dot + 1);
  std::string text = ShortenHash(element);
  for (size_t d = 0; d < dimensions; ++d) text += "[]";
  return text;
}

std::string CodeNames::Type(TypeIndex type) const {
  const std::string_view name = profile_.TypeName(type);
  return EscapeForTerminal(whole_ ? std::string(name) : ShortTypeName(name));
}

std::string CodeNames::Method(MethodIndex method) const {
  if (whole_ || method == kNoMethod) return EscapeForTerminal(profile_.DescribeMethod(method));
  return EscapeForTerminal(ShortTypeName(profile_.TypeName(profile_.DeclaringType(method))) + "." +
                           std::string(profile_.MethodName(method)));
}

std::string CodeNames::MethodAndLine(MethodIndex method) const {
  const auto line = profile_.notes().LineOf(method, 0);
  return line ? fmt::format("{} line {}", Method(method), *line) : Method(method);
}

std::string CodeNames::PlaceIn(Frame frame) const {
  const auto line = profile_.notes().LineOf(frame.method, frame.bci);
  return line ? fmt::format("line {}", *line) : fmt::format("bci {}", frame.bci);
}

std::string CodeNames::Position(Frame frame) const {
  return Method(frame.method) + " " + PlaceIn(frame);
}

std::string CodeNames::Context(ContextIndex context, bool is_call) const {
  std::string text;
  for (; context != kNoContext && text.size() < kMostDescribedBytes;
       context = profile_.Caller(context)) {
    const Frame frame = profile_.InnermostFrame(context);
    text += text.empty() && is_call ? MethodAndLine(frame.method)
                                    : (text.empty() ? "" : " < ") + Position(frame);
  }
  return text;
}

std::string CodeNames::Callee(Frame frame) const {
  const std::string_view callee = profile_.notes().CalleeOf(frame.method, frame.bci);
  const size_t dot = callee.rfind('.');
  if (whole_ || dot == std::string_view::npos) return EscapeForTerminal(callee);
  return EscapeForTerminal(ShortTypeName(callee.substr(0, dot)) + std::string(callee.substr(dot)));
}

}  // namespace iprof::cli
