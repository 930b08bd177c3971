// MappedFiles: the files that a process has mapped, by the kernel's list (/proc/PID/maps).
//
// Guarantees: pure on the list's text; any bytes may be given.
// Threads: any. Failure: none; lines that are not understood are left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iprof::jvm {

struct MappedFile {
  std::string path;      // as the process sees it
  bool deleted = false;  // the file is no longer at that path

  std::string_view name() const;  // the last part of the path
};

// Each file once, in the order of its first mapping. Memory without a file is left out.
std::vector<MappedFile> MappedFiles(std::string_view maps);

// The first file of that name, or null.
const MappedFile* FindNamed(const std::vector<MappedFile>& files, std::string_view name);

}  // namespace iprof::jvm
