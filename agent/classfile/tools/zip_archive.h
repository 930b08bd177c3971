// ZipArchive: the part of ZIP that the class-file tools need (jar, jmod).
//
// Guarantees: reads stored and deflated entries of archives below 4 GiB, also after a prefix as in
// jmod files. Writes stored entries. For tools only; the agent never links it.
// Threads: one per archive. Failure: for damaged archives, returns false with a message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iprof::classfile {

struct ZipEntry {
  std::string name;
  std::vector<uint8_t> bytes;
};

// Reads all entries that are files. On failure returns false, with a message in *error.
bool ReadZip(const std::vector<uint8_t>& file, std::vector<ZipEntry>* out, std::string* error);
// Writes fewer than 65,535 entries, all stored.
bool WriteZip(const std::vector<ZipEntry>& entries, std::vector<uint8_t>* out, std::string* error);

}  // namespace iprof::classfile
