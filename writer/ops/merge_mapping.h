// IndexMapping: maps the types, methods and contexts of one profile to those of another.
//
// Guarantees: types are matched by name, methods by (declaring type, name, signature), contexts
// frame by frame. Items that `into` lacks are added. Time is linear in the size of `from`. The
// monitors' context 0:0 maps to itself. Merge, diff and overlap use this to compare profiles.
// Threads: any, while no other thread uses `into` or changes `from`.
// Failure: none but std::bad_alloc; `into` may then have additional items.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

struct IndexMapping {
  std::vector<TypeIndex> types;
  std::vector<MethodIndex> methods;
  std::vector<ContextIndex> contexts;

  TypeIndex operator()(TypeIndex type) const { return types[static_cast<size_t>(type)]; }
  MethodIndex operator()(MethodIndex method) const {
    return method == kNoMethod ? kNoMethod : methods[static_cast<size_t>(method)];
  }
  ContextIndex operator()(ContextIndex context) const {
    return context == kNoContext ? kNoContext : contexts[static_cast<size_t>(context)];
  }
};

// Notes of positions go with their methods.
IndexMapping MapInto(const Profile& from, Profile& into);

// The name that a method of `from` has in `into`; valid until the next call.
using NameInto = std::function<std::string_view(MethodIndex method)>;
// As above with other names of methods, and without notes. Several methods may become one.
IndexMapping MapRenamed(const Profile& from, Profile& into, const NameInto& name_of);

}  // namespace iprof
