// UnpackSnappy: reads the raw format of Snappy, in which DuckDB and Arrow compress pages by default.
//
// It is a varint, the size of the text, and then literals and copies of what is already there:
//   06 04 61 62 05 02   6 bytes; a literal of 2 bytes, "ab"; a copy of 4 bytes from 2 bytes back: "ababab"
//
// Guarantees: writes at most `most` bytes, and reads only the input. Threads: any; pure.
// Failure: false if the input is no such text, or makes more than `most` bytes; std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace iprof::parquet {

bool UnpackSnappy(std::string_view packed, size_t most, std::string& text);

}  // namespace iprof::parquet
