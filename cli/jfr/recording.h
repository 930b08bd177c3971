// ForEachChunk: a recording, chunk after chunk.
//
// Example: of three chunks the second is damaged in its middle, and the JVM was killed in the third. Visited are the first, the
// second with the events before the damage, and the third up to its last checkpoint. Two problems: "the chunk at 12582912 is
// damaged at 13500000: no event begins there", "the chunk at 25165824 was not finished: it is read up to its last checkpoint".
//
// Guarantees: one chunk is in memory at a time. Where no chunk begins, the next one is looked for. What is left out is named
// by its offset in the file, and at most kMostProblems of them.
// Threads: one. Failure: kIo; kBadInput or what else is wrong with the first chunk if none can be read; what `visit` returns.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/jfr/chunk.h"
#include "cli/jfr/recording_file.h"
#include "writer/base/status.h"

namespace iprof::jfr {

inline constexpr size_t kMostProblems = 20;

struct ChunkSeries {
  size_t read = 0;      // chunks, also those that are read in part
  size_t left_out = 0;  // as a whole
  size_t read_in_part = 0;
  std::vector<std::string> problems;
};

Result<ChunkSeries> ForEachChunk(RecordingFile& file,
                                 const std::function<Status(Chunk& chunk)>& visit);

}  // namespace iprof::jfr
