// Output paths: from the pattern that the user gave to the file that is written.
//
// Guarantees: nobody else's symbolic link is followed (writer/file_place.h). A resolved path is absolute, so that a later change of the working directory does not
// matter; it is fixed once, at start. Failures are sentences that name the path. ExpandPattern and
// NumberedName are pure; the others touch the file system. Callable from any thread.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::vm {

// What the patterns stand for.
struct PathFacts {
  int64_t pid = 0;        // %p
  std::string host;       // %h
  std::time_t start = 0;  // %t, written as local time: 20260131-142530
};

// The facts of this process, started now.
PathFacts CurrentPathFacts();

// Replaces %p, %h, %t and %%; any other % is an error that names it.
Result<std::string> ExpandPattern(std::string_view pattern, const PathFacts& facts);

// What happens to a file that is there already.
enum class OldFile : uint8_t { kIsWritten, kIsKept };  // kept: another name is taken

// Expands the pattern, makes it absolute against the current working directory, makes missing
// parent folders, and sees to it that the file could be written there: its folder is one, is
// writable, and it is no folder itself; what is there already may be written.
Result<std::string> ResolveOutPath(std::string_view pattern, const PathFacts& facts,
                                   OldFile old_file = OldFile::kIsWritten);

// "app.iprof", 2 → "app.2.iprof"; the number stands before ".iprof" or ".iprof.gz", else before the
// last suffix.
std::string NumberedName(std::string_view path, int64_t number);

// Creates the first of path, NumberedName(path, 1), NumberedName(path, 2) … that nobody has, empty,
// and returns its name: two JVMs that end at once get different ones. The caller fills the file or
// removes it.
Result<std::string> ReserveUnusedName(const std::string& path);

}  // namespace iprof::vm
