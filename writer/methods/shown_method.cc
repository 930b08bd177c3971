#include "writer/methods/shown_method.h"

#include "writer/names/type_names.h"

namespace iprof {

std::string ShownMethod(const ClassRecord& c, const CountedMethod& m) {
  const std::string descriptor = "L" + std::string(c.name) + ";";
  std::string text = ToUtf8(TypeNameOf(Descriptor(descriptor)).value_or(descriptor));
  text.append(".").append(ToUtf8(m.name)).append("(");
  const auto types = SignatureOf(m.descriptor);  // the result first
  if (!types || types->empty()) return text.append(ToUtf8(m.descriptor)).append(")");
  for (size_t i = 1; i < types->size(); ++i) {
    if (i > 1) text.append(", ");
    text.append(ToUtf8((*types)[i]));
  }
  return text.append(")").append(ToUtf8(types->front()));
}

}  // namespace iprof
