// WriteProfile: writes a Profile as iprof text.
//
// Guarantees: streams through a fixed buffer and never holds the whole text. The same model and
// options give the same bytes. The output reads back as an equal model, and writing that gives the
// same bytes again. The order of keys is version, types, methods, tables that have entries, unknown
// keys. File ids are those of the model. Samples are written whole; for image builds, see
// image/write_for_image.h.
// Threads: any, while no other thread changes the profile; there is no global state.
// Failure: only if the sink fails, with the sink's Status. Throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/profile/io/atomic_file.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/format_version.h"
#include "writer/profile/model.h"

namespace iprof {

struct WriteOptions {
  FormatVersion version = FormatVersion::k1_0_0;
  bool pretty = false;  // one type, method or entry per line
  bool gzip = false;
};

struct WriteReport {
  uint64_t text_bytes = 0;      // before compression
  size_t entries_left_out = 0;  // the version has no table for them
};

Result<WriteReport> WriteProfile(const Profile& profile, const WriteOptions& options,
                                 ByteSink& sink);
// Writes through AtomicFile: on any failure the old file is not touched. "-" is standard output.
Result<WriteReport> WriteProfileFile(const Profile& profile, const WriteOptions& options,
                                     const std::string& path, Readers readers = Readers::kByUmask);
// For tests and small profiles.
Result<std::string> WriteProfileText(const Profile& profile, const WriteOptions& options = {});

// Appends `text` as a JSON string with quotes. Well-formed UTF-8 stays; a lone surrogate becomes an
// escape.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace iprof
