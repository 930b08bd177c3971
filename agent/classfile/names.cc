#include "agent/classfile/names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "agent/classfile/descriptor.h"

namespace iprof::classfile {
namespace {

using namespace std::string_view_literals;

// Characters as a table: names are checked by the ten thousand.
class CharacterSet {
 public:
  explicit constexpr CharacterSet(std::string_view characters) {
    for (const char c : characters) has_[static_cast<unsigned char>(c)] = true;
  }
  bool HasOneOf(std::string_view text) const {
    return std::any_of(text.begin(), text.end(),
                       [this](char c) { return has_[static_cast<unsigned char>(c)]; });
  }

 private:
  std::array<bool, 256> has_{};
};

constexpr CharacterSet kNotInMethodNames(".;[/<>\0"sv);
constexpr CharacterSet kNotInClassNames(".;[\0"sv);

bool IsLegalType(const TypeView& type) {
  const size_t dimensions = std::min(type.text.find_first_not_of('['), type.text.size());
  if (dimensions > 255) return false;
  std::string_view rest = type.text.substr(dimensions);
  TypeView element;
  return TakeType(&rest, &element) &&
         (element.kind != 'L' || IsInternalClassName(element.class_name()));
}

}  // namespace

bool IsMethodDescriptor(std::string_view descriptor) {
  DescriptorWalk walk(descriptor);
  TypeView type;
  while (walk.NextArgument(&type)) {
    if (!IsLegalType(type)) return false;
  }
  return walk.Result(&type) && IsLegalType(type);
}

bool IsMethodName(std::string_view name) {
  if (name == "<init>" || name == "<clinit>") return true;
  return !name.empty() && !kNotInMethodNames.HasOneOf(name);
}

bool IsInternalClassName(std::string_view name) {
  return !name.empty() && !kNotInClassNames.HasOneOf(name) && name.front() != '/' &&
         name.back() != '/' && name.find("//") == std::string_view::npos;
}

bool HasLegalNames(const ClassFile& file) {
  return IsInternalClassName(file.name()) &&
         std::all_of(file.methods().begin(), file.methods().end(), [&](const MemberInfo& method) {
           return IsMethodName(file.NameOf(method)) &&
                  IsMethodDescriptor(file.DescriptorOf(method));
         });
}

}  // namespace iprof::classfile
