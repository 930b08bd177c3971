// OwnClasses: which classes inside the JVM are the agent's own, by name.
//
// Guarantees: these classes are never instrumented, sampled or written to a profile. Threads: any,
// in any phase; pure functions. Failure: none.
#pragma once

#include <string_view>

#include "writer/names/typed_names.h"

namespace iprof::vm {

// For classes in the boot loader.
inline constexpr std::string_view kOwnBootPrefix = "java/lang/Iprof";
// For classes in the program's loaders, after the package.
inline constexpr std::string_view kOwnLoaderPrefix = "iprof$";

inline bool IsOwnClass(InternalName name) {
  const std::string_view text = name.text();
  return text.starts_with(kOwnBootPrefix) ||
         text.substr(text.rfind('/') + 1).starts_with(kOwnLoaderPrefix);
}

}  // namespace iprof::vm
