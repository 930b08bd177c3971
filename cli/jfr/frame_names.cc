#include "cli/jfr/frame_names.h"

#include <algorithm>

#include "writer/names/generated_names.h"
#include "writer/names/own_classes.h"
#include "writer/names/type_names.h"

namespace iprof::jfr {
namespace {

constexpr size_t kMostName = 65'535;  // bytes, as in class files

// Where the number of a hidden class begins: at "+0x" up to JDK 20, at "/0x" later; npos if there is none.
size_t HiddenNumberIn(std::string_view recorded) {
  for (const std::string_view mark : {"+0x", "/0x"}) {
    const size_t at = recorded.rfind(mark);
    if (at == std::string_view::npos || at == 0) continue;
    std::string_view number = recorded.substr(at + mark.size());
    number = number.substr(0, number.find('/'));  // a hash code may follow
    if (!number.empty() && number.find_first_not_of("0123456789abcdef") == std::string_view::npos)
      return at;
  }
  return std::string_view::npos;
}

std::string Dotted(std::string_view internal) {
  std::string name = ToUtf8(internal);
  std::ranges::replace(name, '/', '.');
  return name;
}

bool IsContinuation(const MethodFacts& method) {
  return method.type == "jdk/internal/vm/Continuation" &&
         (method.name == "enterSpecial" || method.name == "enter" || method.name == "enter0");
}

}  // namespace

std::string ProfileTypeName(std::string_view recorded) {
  if (recorded.empty() || recorded.size() > kMostName) return {};
  if (recorded.starts_with('[')) {
    std::string name;
    return WriteTypeName(Descriptor(recorded), &name) ? name : std::string();
  }
  const size_t number = HiddenNumberIn(recorded);
  if (number == std::string_view::npos) return Dotted(recorded);
  std::string_view digits = recorded.substr(number + 1);
  digits = digits.substr(0, digits.find('/'));
  return Dotted(recorded.substr(0, number)) + "/" + std::string(digits);
}

std::string EventTypeName(std::string_view recorded) {
  const bool is_array = recorded.starts_with('[') && recorded.ends_with(';');
  const size_t number = HiddenNumberIn(recorded.substr(0, recorded.size() - (is_array ? 1 : 0)));
  if (number == std::string_view::npos) return ProfileTypeName(recorded);
  std::string name(recorded.substr(0, number));
  std::ranges::replace(name, '.', '/');
  return ProfileTypeName(is_array ? name + ";" : name);
}

FrameKind NameMethod(MethodFacts& method) {
  const InternalName owner(method.type);
  if (IsOwnClass(owner) || (method.type == "java/lang/Object" && IsOwnMember(method.name)))
    return owner.text() == kLocksClassName && method.name == "park" ? FrameKind::kLinkage
                                                                    : FrameKind::kProbe;
  if (IsContinuation(method)) return FrameKind::kContinuation;
  std::string type = ProfileTypeName(method.type);
  const bool has_name = !type.empty() && !method.name.empty() && method.name.size() <= kMostName;
  if (!has_name || type.starts_with('[') || !SignatureOf(method.descriptor))
    return FrameKind::kUnnamed;
  method.type = std::move(type);
  method.name = ToUtf8(method.name);
  if (IsLinkageClass(ProfileName(method.type))) return FrameKind::kLinkage;
  const GeneratedKind generated = ReadGeneratedName(ProfileName(method.type)).kind;
  return generated == GeneratedKind::kUnstable || generated == GeneratedKind::kOther
             ? FrameKind::kUnstable
             : FrameKind::kOrdinary;
}

}  // namespace iprof::jfr
