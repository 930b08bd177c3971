// ParseFooter: the footer of a Parquet file, as far as FileReader needs it.
//
// Guarantees: each row group has a chunk for each column. No number is checked but for that.
// Threads: any; pure. Failure: nullopt if the bytes are no footer; std::bad_alloc.
#pragma once

#include <optional>
#include <string_view>

#include "cli/views/parquet/file_reader.h"

namespace iprof::parquet {

std::optional<Footer> ParseFooter(std::string_view bytes);

}  // namespace iprof::parquet
