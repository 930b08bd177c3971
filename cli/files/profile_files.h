// The input and output profiles of a command: reads with a progress bar, writes to a file or to
// standard output.
//
// Guarantees: '-' is standard input or output. A raw file (writer/records/raw) is read as the profile that
// `recover` makes of it. A closed pipe on standard output ends output
// silently. A file is replaced completely or not at all. Compressed bytes are never written to a
// terminal; in text on a terminal, control characters are escaped.
// Threads: one, because the console has one.
// Failure: a Status that names the file: kIo if the system refuses, kUsage for compressed output on
// a terminal, otherwise that of the reader, of `use` or of `write`. Throws nothing but
// std::bad_alloc.
#pragma once

#include <functional>
#include <string>

#include "cli/terminal/console.h"
#include "writer/base/status.h"
#include "writer/profile/io/atomic_file.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/writer.h"
#include "writer/profile/model.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {

// The name of an input in messages: "standard input" for '-'.
std::string NameOfInput(const std::string& path);

// Few commands know of which thread samples are, and when they were taken.
Result<Profile> ReadInput(Console& console, const std::string& path,
                          SampleLabels labels = SampleLabels::kNone);

// Opens the input and passes its bytes to `use`, with a progress bar; of a raw file, the text of its
// profile.
Status WithInput(Console& console, const std::string& path,
                 const std::function<Status(ByteSource& source, const std::string& name)>& use);

// `write` writes to the sink, through gzip if requested.
Status WriteOutput(Console& console, const std::string& path, bool gzip,
                   const std::function<Status(ByteSink& sink)>& write,
                   Readers readers = Readers::kByUmask);

// "wrote app.iprof: 2,450 methods ran, of 31,210 that are declared", escaped.
std::string DescribeWritten(const std::string& path, const Profile& profile);

// Prints "app.iprof: usable with doubts: …", what `iprof advise` says in one line.
void PrintAdvice(Console& console, const std::string& path, const Profile& profile);

// Says that the profile has no samples and why, and returns the exit code for it. `selected`: the classes that were asked
// for, as the filter describes them; empty: all.
ExitCode WarnOfNoSamples(Console& console, const std::string& path, const Profile& profile,
                         const std::string& selected);

// Fails if an input is a folder, and says how to read what is in it.
Status CheckIsNoFolder(const std::string& input);

// Fails if the output is a raw file: writing a profile there would lose what can be recovered.
Status CheckIsNoRawFile(const std::string& output);

// Who may read what is made of the input: no more than may read it. Its group counts only if it is ours. Of what comes
// from a pipe, it is not known who may read it: that is our user.
Readers ReadersOf(const std::string& path);

// Whether to compress the output: on request, or if the name ends with .gz.
bool WantsGzip(bool asked, const std::string& path);

// Writes the requested version (one of kFormatVersions), or for "auto" the smallest that loses nothing.
// Warns if entries are lost.
Status WriteProfileOutput(Console& console, const Profile& profile, const std::string& path,
                          const std::string& version, bool pretty, bool gzip,
                          Readers readers = Readers::kByUmask);

}  // namespace iprof::cli
