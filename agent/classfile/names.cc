#include "agent/classfile/names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace iprof::classfile {
namespace {

using namespace std::string_view_literals;

// Characters as a table: names are checked by the ten thousand.
class CharacterSet {
 public:
  explicit constexpr CharacterSet(std::string_view characters) {
    for (const char c : characters) has_[static_cast<unsigned char>(c)] = true;
  }
  bool Has(char c) const { return has_[static_cast<unsigned char>(c)]; }
  bool HasOneOf(std::string_view text) const {
    return std::any_of(text.begin(), text.end(), [this](char c) { return Has(c); });
  }

 private:
  std::array<bool, 256> has_{};
};

constexpr CharacterSet kNotInMethodNames(".;[/<>\0"sv);
constexpr CharacterSet kEndsPart("/.;[\0"sv);  // of a class's name
constexpr CharacterSet kPrimitives("BCDFIJSZ"sv);

// The end of the class name at `at`; nullptr if there is none. No part of a name is empty.
const char* EndOfClassName(const char* at, const char* end) {
  while (true) {
    const char* const part = at;
    while (at != end && !kEndsPart.Has(*at)) ++at;
    if (at == part) return nullptr;
    if (at == end || *at != '/') return at;
    ++at;
  }
}

// The end of the type at `at`; nullptr if there is none. Void is none.
const char* EndOfType(const char* at, const char* end) {
  constexpr ptrdiff_t kMostDimensions = 255;
  const char* const first = at;
  while (at != end && *at == '[') ++at;
  if (at == end || at - first > kMostDimensions) return nullptr;
  if (*at != 'L') return kPrimitives.Has(*at) ? at + 1 : nullptr;
  const char* const after = EndOfClassName(at + 1, end);
  return after != nullptr && after != end && *after == ';' ? after + 1 : nullptr;
}

}  // namespace

// In one pass without views of types, because a harvest checks tens of thousands.
bool IsMethodDescriptor(std::string_view descriptor) {
  const char* at = descriptor.data();
  const char* const end = at + descriptor.size();
  if (at == end || *at++ != '(') return false;
  while (at != end && *at != ')') {
    at = EndOfType(at, end);
    if (at == nullptr) return false;
  }
  if (at == end || ++at == end) return false;
  return *at == 'V' ? at + 1 == end : EndOfType(at, end) == end;
}

bool IsMethodName(std::string_view name) {
  if (name == "<init>" || name == "<clinit>") return true;
  return !name.empty() && !kNotInMethodNames.HasOneOf(name);
}

bool IsInternalClassName(std::string_view name) {
  const char* const end = name.data() + name.size();
  return EndOfClassName(name.data(), end) == end && !name.empty();
}

bool HasLegalNames(const ClassFile& file) {
  return IsInternalClassName(file.name()) &&
         std::all_of(file.methods().begin(), file.methods().end(), [&](const MemberInfo& method) {
           return IsMethodName(file.NameOf(method)) &&
                  IsMethodDescriptor(file.DescriptorOf(method));
         });
}

}  // namespace iprof::classfile
