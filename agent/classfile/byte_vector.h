// A growing vector of big-endian bytes, as in class files. For tests and tools.
//
// Guarantees: each function appends. Threads: one per vector. Failure: none.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

namespace iprof::classfile {

using ByteVector = std::vector<uint8_t>;

inline void PutU1(ByteVector* out, uint32_t v) { out->push_back(static_cast<uint8_t>(v)); }
// Appends a constant's tag or an opcode.
template <typename Enum>
requires std::is_enum_v<Enum>
void Put(ByteVector* out, Enum v) { PutU1(out, static_cast<uint8_t>(v)); }
inline void PutU2(ByteVector* out, uint32_t v) {
  PutU1(out, v >> 8);
  PutU1(out, v);
}
inline void PutU4(ByteVector* out, uint32_t v) {
  PutU2(out, v >> 16);
  PutU2(out, v);
}

}  // namespace iprof::classfile
