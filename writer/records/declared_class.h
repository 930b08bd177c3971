// AddDeclaredClass: adds a type that is loaded, and the methods that it declares, to a profile.
//
// Guarantees: the same for a running JVM and for a file that was left behind. Methods with equal
// names and descriptors are added once. Their order is that of the input.
// Threads: any; one per profile. Failure: a method whose descriptor no JVM accepts is left out, and
// counted; std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "writer/names/typed_names.h"
#include "writer/profile/model.h"

namespace iprof {

struct DeclaredClass {
  InternalName owner;     // the JVM's name; empty for an array
  std::string_view name;  // in the profile, UTF-8
  std::span<const std::pair<std::string_view, std::string_view>> methods;  // name, descriptor
};

// Decides whether a method is left out, by its class, name and descriptor.
using MethodFilter = std::function<bool(InternalName, std::string_view, std::string_view)>;

// Returns how many methods were left out.
uint64_t AddDeclaredClass(const DeclaredClass& declared, const MethodFilter& leave_out,
                          Profile& profile);

}  // namespace iprof
