// UnloadTag: identifies a class or a class loader while it is loaded; see UnloadWatch.
//
// Guarantees: a plain value. Threads: any. Failure: none; kNeverUnloaded is the tag of what cannot
// be watched.
#pragma once

#include <cstdint>

namespace iprof::vm {

enum class UnloadTag : int64_t {};
inline constexpr UnloadTag kNeverUnloaded{0};

}  // namespace iprof::vm
