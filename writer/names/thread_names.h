// Thread names: what a thread is called in a profile (threads=y). Threads of a pool have one name.
//
// Example: "pool-1-thread-12" is "pool-*-thread-*", for each run of digits becomes one '*'. A thread without a name is
// "(no name)". Of a longer name the first kMostThreadName bytes are kept, and "..." follows.
//
// Guarantees: pure; the result is UTF-8. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace iprof {

inline constexpr size_t kMostThreadName = 128;

// The name as JVMTI has it, in modified UTF-8.
std::string FoldedThreadName(std::string_view modified_utf8);

}  // namespace iprof
