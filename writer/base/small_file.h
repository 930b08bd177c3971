// SmallFile: reads a file whole, such as those in /proc and /sys, whose size is known only at their
// end.
//
// Why not a stream: the first stream of a process sets up the locales of the C++ library, which takes
// a noticeable part of the time that a small program runs.
//
// Guarantees: no descriptor stays open, and child processes do not inherit it.
// Threads: any. Failure: nullopt if it is no regular file, or cannot be opened or read; what is behind
// `most` bytes is left out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace iprof {

std::optional<std::string> ReadSmallFile(const std::string& path, size_t most = size_t{1} << 20);

}  // namespace iprof
