// For tests: zip archives in memory, of every form that ZipFile reads.
//
// Guarantees: the same bytes for the same arguments. Threads: any; pure. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/classpath/byte_file.h"

namespace iprof::classpath {

struct TestEntry {
  std::string name;
  std::string text;
  bool is_deflated = false;
};

struct ArchiveForm {
  bool is_zip64 = false;  // sizes and positions are in 64-bit records
  std::string prefix;     // bytes before the archive, which its positions do not count
  std::string comment;
};

Bytes MakeArchive(const std::vector<TestEntry>& entries, const ArchiveForm& form = {});

Bytes ToBytes(std::string_view text);
std::string ToText(const Bytes& bytes);

// Deflate's bytes, with zlib's header or without.
Bytes Deflated(std::string_view text, bool has_header);

}  // namespace iprof::classpath
