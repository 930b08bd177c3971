// ClassRecords as bytes, for a process that has neither the class files nor the JVM: to read what a
// killed JVM left behind, or to read a JVM while it runs.
//
// They are sealed with a length and a checksum (sealed_bytes.h) and can follow each other in a
// file. Numbers are varints, texts have a length, [8] means eight bytes, little endian.
//
//   class      version, hash [8] [8], access, name, super class
//              callees; each: owner, name, descriptor, 1 where virtual
//              targets; each: owner, name
//              positions, lines, records: bytes
//              methods; each: name, descriptor, access, flags (kFlag… in the .cc)
//                not exact: mark of its sureness
//                with an effort of its own: step, budget
//                with something left out: everything, branches, all branches, sites, all sites
//                rewritten: code hash [8], offset in positions
//                with lines: offset in lines
//                with counters: counters, number of the first, offset in records
//                with sites: sites, number of the first
//              sites; each: method as difference, bci, number, kind, target
//
// Guarantees: decoding reads only its input and allocates at most a small multiple of it. kRecord
// means that everything is in range, so AssembleProfile may use it. What was encoded decodes to an
// equal record. Other versions are refused.
// Threads: any; pure functions.
// Failure: decoding returns a SealStatus. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "writer/base/sealed_bytes.h"
#include "writer/records/class_record.h"

namespace iprof {

inline constexpr uint8_t kClassRecordVersion = 4;

// Appends the record's bytes.
void EncodeClassRecord(const ClassRecord& record, std::vector<uint8_t>* out);

// *consumed is the number of bytes to skip; 0 if unknown. The record owns its texts.
SealStatus DecodeClassRecord(std::span<const uint8_t> bytes, ClassRecord* record, size_t* consumed);

// The name of a class whose record can be decoded. It is part of `bytes`.
std::string_view NameInClassRecord(std::span<const uint8_t> bytes);

}  // namespace iprof
