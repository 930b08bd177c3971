// HarvestedCodeHasher: the hash of a loaded method's code, equal to that of its class file
// (writer/records/class_record.h, CountedMethod::code_hash).
//
// Guarantees: reads names and values through HotSpot's constant pool, after the code was made
// original (original_code.h). A constant is read once, however many instructions of a class name it. Takes
// some 16 MiB at most.
// Threads: one. Failure: 0, if a constant is unknown or cannot be read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "agent/classfile/bytes.h"
#include "agent/classfile/symbolic_code.h"
#include "agent/hotspot/metadata.h"
#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {

class HarvestedCodeHasher {
 public:
  explicit HarvestedCodeHasher(Metadata& metadata) : metadata_(metadata) {}

  // Call it before the methods of another class, and again when its constant pool was read again.
  // `own_name` is the class's symbol, and lives as long as its methods are hashed.
  void Start(const Pool& pool, std::string_view own_name);
  // Of a method of this class.
  uint64_t Hash(const Pool& pool, const OriginalCode& code);

 private:
  // Where a constant is in encoded_, from 1 on.
  struct Place {
    uint32_t begin = 0, end = 0;  // 0: not read yet
  };

  // As SymbolicCode stores it; empty if it is unknown.
  classfile::ByteSpan Encoded(const Pool& pool, uint32_t index);
  classfile::ByteSpan EncodedAnew(const Pool& pool, uint32_t index);

  Metadata& metadata_;
  std::string_view own_name_;
  std::vector<Place> places_;  // by index in the pool
  std::vector<uint8_t> encoded_;
  classfile::SymbolicCode symbolic_;
};

}  // namespace iprof::hotspot
