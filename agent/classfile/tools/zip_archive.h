// ZipArchive: the little of ZIP that the class-file tools need (jar, jmod).
//
// Guarantees: reads stored and deflated entries of archives below 4 GiB, also behind a prefix as in
// jmod files; writes stored entries. Damaged archives give false and a message. For tools only: the
// agent never links this. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iprof::classfile {

struct ZipEntry {
  std::string name;
  std::vector<uint8_t> bytes;
};

// Reads all entries that are files; false with a message in *error.
bool ReadZip(const std::vector<uint8_t>& file, std::vector<ZipEntry>* out, std::string* error);
// Fewer than 65,535 entries, each stored.
bool WriteZip(const std::vector<ZipEntry>& entries, std::vector<uint8_t>* out, std::string* error);

}  // namespace iprof::classfile
