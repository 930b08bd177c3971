#include "writer/merge_mapping.h"

namespace iprof {

IndexMapping MapInto(const Profile& from, Profile& into) {
  IndexMapping mapping;
  mapping.types.reserve(from.type_count());
  for (const TypeIndex type : TypesOf(from)) {
    mapping.types.push_back(into.AddType(from.TypeName(type)));
  }
  mapping.methods.reserve(from.method_count());
  std::vector<TypeIndex> signature;
  for (const MethodIndex method : MethodsOf(from)) {
    signature.clear();
    for (const TypeIndex type : from.Signature(method)) signature.push_back(mapping(type));
    mapping.methods.push_back(into.AddMethod(from.MethodName(method), signature));
  }
  mapping.contexts.reserve(from.context_count());
  // A caller's context always has a smaller index than its callees', so it is mapped already.
  for (uint32_t i = 0; i < from.context_count(); ++i) {
    const ContextIndex context{i};
    const Frame frame = from.InnermostFrame(context);
    mapping.contexts.push_back(
        frame.method == kNoMethod
            ? into.AddMonitorContext()
            : into.AddContext(mapping(from.Caller(context)), mapping(frame.method), frame.bci));
  }
  return mapping;
}

}  // namespace iprof
