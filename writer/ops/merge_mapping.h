// IndexMapping: where the types, methods and contexts of one profile are in another.
//
// Guarantees: types are matched by name, methods by (declaring type, name, signature), contexts
// frame by frame; what `into` lacks is added. Linear in the size of `from`. The monitors' context
// 0:0 maps to itself. `into` must not change from another thread meanwhile. Merge, diff and overlap
// all compare profiles this way.
#pragma once

#include <vector>

#include "writer/model/model.h"

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

IndexMapping MapInto(const Profile& from, Profile& into);

}  // namespace iprof
