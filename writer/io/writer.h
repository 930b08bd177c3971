// WriteProfile: Profile to iprof text.
//
// Guarantees: streams through a fixed buffer (never holds the text); the same model and options
// give the same bytes; what is written reads back as an equal model, and writing that gives the
// same bytes again. Keys come as version, types, methods, the tables that have entries, unknown
// keys. File ids are those of the model. Fails only where the sink does (its Status is passed on).
// No exceptions except std::bad_alloc, no global state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/io/byte_stream.h"
#include "writer/model/model.h"

namespace iprof {

enum class FormatVersion : uint8_t {
  k1_0_0,
  k1_1_0,  // adds instanceOfProfiles, spelled as the consumer reads it
};
std::string_view FormatVersionName(FormatVersion version);  // "1.0.0"
// "1.0.0" or "1.1.0"; anything else is kUsage.
Result<FormatVersion> ParseFormatVersion(std::string_view text);
// The smallest version that loses nothing of this profile: 1.1.0 where it has instanceof entries.
FormatVersion SmallestVersionFor(const Profile& profile);

struct WriteOptions {
  FormatVersion version = FormatVersion::k1_0_0;
  bool pretty = false;  // one type, method or entry a line
  bool gzip = false;
};

struct WriteReport {
  uint64_t text_bytes = 0;                  // before compression
  size_t instance_of_entries_left_out = 0;  // 1.0.0 has no table for them
};

Result<WriteReport> WriteProfile(const Profile& profile, const WriteOptions& options,
                                 ByteSink& sink);
// Through AtomicFile: the old file stays untouched on any failure. "-" is standard output.
Result<WriteReport> WriteProfileFile(const Profile& profile, const WriteOptions& options,
                                     const std::string& path);
// For tests and small profiles.
Result<std::string> WriteProfileText(const Profile& profile, const WriteOptions& options = {});

// Appends `text` as a JSON string with quotes. Well-formed UTF-8 stays; a lone surrogate becomes an
// escape.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace iprof
