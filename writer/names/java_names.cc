#include "writer/names/java_names.h"

#include <algorithm>
#include <optional>

#include "writer/names/type_names.h"

namespace iprof {

std::string JavaMethodName(InternalName owner, std::string_view name, std::string_view descriptor) {
  const std::string owner_descriptor = "L" + std::string(owner.text()) + ";";
  std::string text = TypeNameOf(Descriptor(owner_descriptor)).value_or(std::string(owner.text()));
  text.append(".").append(name);
  const std::optional<MethodTypes> types = SplitDescriptor(descriptor);
  if (!types) return ToUtf8(text.append(descriptor));
  std::string parameters;
  for (std::string_view parameter : types->parameters) {
    const size_t dimensions = std::min(parameter.find_first_not_of('['), parameter.size());
    parameter.remove_prefix(dimensions);
    if (!parameters.empty()) parameters += ", ";
    parameters += TypeNameOf(Descriptor(parameter)).value_or(std::string(parameter));
    for (size_t d = 0; d < dimensions; ++d) parameters += "[]";
  }
  return ToUtf8(text.append("(").append(parameters).append(")"));
}

std::string JavaTypeName(std::string_view profile_name) {
  const size_t dimensions = std::min(profile_name.find_first_not_of('['), profile_name.size());
  std::string_view element = profile_name.substr(dimensions);
  std::string text(element);
  if (dimensions > 0 && element.starts_with('L') && element.ends_with(';')) {
    text = element.substr(1, element.size() - 2);
  } else if (dimensions > 0 && element.size() == 1) {
    text = TypeNameOf(Descriptor(element)).value_or(text);
  }
  for (size_t d = 0; d < dimensions; ++d) text += "[]";
  return text;
}

}  // namespace iprof
