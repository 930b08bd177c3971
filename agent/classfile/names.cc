#include "agent/classfile/names.h"

#include <algorithm>
#include <string_view>

#include "agent/classfile/descriptor.h"

namespace iprof::classfile {
namespace {

using namespace std::string_view_literals;

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
  return !name.empty() && name.find_first_of(".;[/<>\0"sv) == std::string_view::npos;
}

bool IsInternalClassName(std::string_view name) {
  return !name.empty() && name.find_first_of(".;[\0"sv) == std::string_view::npos &&
         name.front() != '/' && name.back() != '/' && name.find("//") == std::string_view::npos;
}

bool HasLegalNames(const ClassFile& file) {
  return IsInternalClassName(file.name()) &&
         std::all_of(file.methods().begin(), file.methods().end(), [&](const MemberInfo& method) {
           return IsMethodName(file.NameOf(method)) &&
                  IsMethodDescriptor(file.DescriptorOf(method));
         });
}

}  // namespace iprof::classfile
