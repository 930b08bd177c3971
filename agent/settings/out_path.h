// Output paths: from the user's pattern to the file that is written.
//
// Guarantees: symbolic links of other users are not followed (writer/profile/io/file_place.h). A resolved
// path is absolute and fixed at start, so a later change of the working directory has no effect.
// Threads: any. ExpandPattern, NumberedName, IsToolsFolderName and IsInToolsFolder are pure; the other functions use the file system.
// Failure: a Status with a sentence that names the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::vm {

// The values of the placeholders.
struct PathFacts {
  int64_t pid = 0;        // %p
  std::string host;       // %h
  std::time_t start = 0;  // %t, written as local time: 20260131-142530
  std::string home = {};  // '~' at the beginning; empty: not known
};

// The values for this process, with the current time as its start.
PathFacts CurrentPathFacts();

// Replaces '~' at the beginning by the home folder: no shell does this within the agent's options.
// The homes of other users ("~bob/x") are an error.
Result<std::string> ExpandHome(std::string_view path, const PathFacts& facts);

// Replaces %p, %h, %t and %%, and '~' at the beginning. Any other % is an error that names it.
Result<std::string> ExpandPattern(std::string_view pattern, const PathFacts& facts);

// A tool's own folder in the target's /tmp (cli/jvm/private_folder.h): ".iprof-0123456789abcdef".
inline constexpr std::string_view kToolsFolderPrefix = ".iprof-";
inline constexpr size_t kToolsFolderDigits = 16;
bool IsToolsFolderName(std::string_view name);
// Whether a file is in such a folder: "/tmp/.iprof-0123456789abcdef/agent.iprof".
bool IsInToolsFolder(std::string_view path);

// What happens to an existing file: it is overwritten, or it is kept and another name is used.
enum class OldFile : uint8_t { kIsWritten, kIsKept };  // kept: another name is taken

// Expands the pattern, makes it absolute, creates missing parent folders, and checks that the file
// can be written: the parent is a writable folder, the path is not a folder, socket, block device or another user's pipe, and
// an existing file is writable.
Result<std::string> ResolveOutPath(std::string_view pattern, const PathFacts& facts,
                                   OldFile old_file = OldFile::kIsWritten);

// Whether both paths lead to one file, which need not exist: the same name in the same folder, after following
// links. False if one of them leads nowhere.
bool LeadToOneFile(const std::string& a, const std::string& b);

// Where the raw file goes unless the user says so: beside the profile "app.iprof" or "app.iprof.gz" as
// "app.iraw". Empty if the profile goes to a device or a pipe, which has no neighbours.
std::string RawPathBeside(const std::string& out_path);

// "app.iprof", 2 → "app.2.iprof". The number is inserted before ".iprof" or ".iprof.gz", otherwise
// before the last suffix.
std::string NumberedName(std::string_view path, int64_t number);

// Creates an empty file with the first unused name of path, NumberedName(path, 1),
// NumberedName(path, 2) … and returns its name. Two JVMs that end at once get different names. The
// caller fills or removes the file.
Result<std::string> ReserveUnusedName(const std::string& path);

}  // namespace iprof::vm
