// OwnClasses: which classes and members inside a JVM are the agent's own, by name.
//
// Guarantees: these are never instrumented, sampled or written to a profile, neither by the agent nor
// by a tool that reads the JVM from outside. Code that the agent has changed refers to at least one
// of them.
// Threads: any, in any phase; pure functions. Failure: none.
#pragma once

#include <string_view>

#include "writer/names/typed_names.h"

namespace iprof {

// For classes in the boot loader.
inline constexpr std::string_view kOwnBootPrefix = "java/lang/Iprof";
// Its methods "park" call what the program's code would call.
inline constexpr std::string_view kLocksClassName = "java/lang/IprofLocks";
// For classes in the program's loaders, after the package; and for members of java.lang.Object.
inline constexpr std::string_view kOwnPrefix = "iprof$";

inline bool IsOwnClass(InternalName name) {
  const std::string_view text = name.text();
  return text.starts_with(kOwnBootPrefix) ||
         text.substr(text.rfind('/') + 1).starts_with(kOwnPrefix);
}

// Members that the agent adds to a class of the JVM.
inline bool IsOwnMember(std::string_view name) { return name.starts_with(kOwnPrefix); }

}  // namespace iprof
