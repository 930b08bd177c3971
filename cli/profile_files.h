// Profiles in and out of a command: reading with a progress bar, writing to a file or standard
// output.
//
// Guarantees: '-' is standard input or output. A closed pipe on standard output ends output
// quietly; other failures come back as kIo. A file is replaced whole or not at all. Compressed
// bytes are not written to a terminal; text that goes to a terminal has its control characters
// escaped.
#pragma once

#include <functional>
#include <string>

#include "cli/console.h"
#include "writer/base/status.h"
#include "writer/io/byte_stream.h"
#include "writer/io/writer.h"
#include "writer/model/model.h"

namespace iprof::cli {

Result<Profile> ReadInput(Console& console, const std::string& path);

// Opens the input and hands its bytes to `use`, drawing progress.
Status WithInput(Console& console, const std::string& path,
                 const std::function<Status(ByteSource& source, const std::string& name)>& use);

// `write` fills the sink; gzip wraps it.
Status WriteOutput(Console& console, const std::string& path, bool gzip,
                   const std::function<Status(ByteSink& sink)>& write);

// Whether the output is to be compressed: asked for, or a name that ends in .gz.
bool WantsGzip(bool asked, const std::string& path);

// The version to write: as asked ("1.0.0", "1.1.0"), or for "auto" the smallest that loses nothing.
// Warns where entries are lost.
Status WriteProfileOutput(Console& console, const Profile& profile, const std::string& path,
                          const std::string& version, bool pretty, bool gzip);

}  // namespace iprof::cli
