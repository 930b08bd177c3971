#include "writer/ops/merge_mapping.h"

#include <algorithm>

namespace iprof {
namespace {

// Profiles of one program declare mostly the same items in the same order, so the item after the
// last match is tried before a search. This makes mapping several times as fast and does not change
// the result.
template <typename Index>
Index After(const std::vector<Index>& mapped) {
  return mapped.empty() ? Index{0} : Index{static_cast<uint32_t>(mapped.back()) + 1};
}

bool SameMethod(const Profile& profile, MethodIndex method, std::string_view name,
                const std::vector<TypeIndex>& signature) {
  const auto there = profile.Signature(method);
  return std::equal(there.begin(), there.end(), signature.begin(), signature.end()) &&
         profile.MethodName(method) == name;
}

TypeIndex MapType(std::string_view name, TypeIndex guess, Profile& into) {
  const bool hit = static_cast<size_t>(guess) < into.type_count() && into.TypeName(guess) == name;
  return hit ? guess : into.AddType(name);
}

MethodIndex MapMethod(std::string_view name, const std::vector<TypeIndex>& signature,
                      MethodIndex guess, Profile& into) {
  const bool hit =
      static_cast<size_t>(guess) < into.method_count() && SameMethod(into, guess, name, signature);
  return hit ? guess : into.AddMethod(name, signature);
}

ContextIndex MapContext(ContextIndex caller, Frame frame, ContextIndex guess, Profile& into) {
  const bool hit = static_cast<size_t>(guess) < into.context_count() &&
                   into.InnermostFrame(guess) == frame && into.Caller(guess) == caller;
  return hit ? guess : into.AddContext(caller, frame.method, frame.bci);
}

}  // namespace

IndexMapping MapInto(const Profile& from, Profile& into) {
  IndexMapping mapping =
      MapRenamed(from, into, [&](MethodIndex method) { return from.MethodName(method); });
  for (const MethodIndex method : MethodsOf(from))
    into.notes().Add(mapping(method), from.notes(), method);
  return mapping;
}

IndexMapping MapRenamed(const Profile& from, Profile& into, const NameInto& name_of) {
  IndexMapping mapping;
  mapping.types.reserve(from.type_count());
  for (const TypeIndex type : TypesOf(from)) {
    mapping.types.push_back(MapType(from.TypeName(type), After(mapping.types), into));
  }
  mapping.methods.reserve(from.method_count());
  std::vector<TypeIndex> signature;
  for (const MethodIndex method : MethodsOf(from)) {
    signature.clear();
    for (const TypeIndex type : from.Signature(method)) signature.push_back(mapping(type));
    mapping.methods.push_back(MapMethod(name_of(method), signature, After(mapping.methods), into));
  }
  mapping.contexts.reserve(from.context_count());
  // A caller's context always has a smaller index than its callees', so it is mapped already.
  for (uint32_t i = 0; i < from.context_count(); ++i) {
    const ContextIndex context{i};
    const Frame frame = from.InnermostFrame(context);
    if (frame.method == kNoMethod) {
      mapping.contexts.push_back(into.AddMonitorContext());
      continue;
    }
    mapping.contexts.push_back(MapContext(mapping(from.Caller(context)),
                                          {mapping(frame.method), frame.bci},
                                          After(mapping.contexts), into));
  }
  return mapping;
}

}  // namespace iprof
