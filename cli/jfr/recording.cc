#include "cli/jfr/recording.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace iprof::jfr {
namespace {

// How a chunk of version 2 begins.
constexpr std::array<uint8_t, 6> kChunkStart = {'F', 'L', 'R', 0, 0, 2};

// Where the next chunk begins, from an offset on; the file's size if there is none.
Result<uint64_t> FindChunk(RecordingFile& file, uint64_t from) {
  constexpr size_t kStep = size_t{1} << 20;
  while (file.size() - from >= kChunkStart.size()) {
    const size_t count = static_cast<size_t>(std::min<uint64_t>(kStep, file.size() - from));
    const auto bytes = file.View(from, count);
    if (!bytes.ok()) return bytes.status();
    const auto found =
        std::search(bytes->begin(), bytes->end(), kChunkStart.begin(), kChunkStart.end());
    if (found != bytes->end()) return from + static_cast<uint64_t>(found - bytes->begin());
    from += count - (kChunkStart.size() - 1);
  }
  return file.size();
}

class Series {
 public:
  Series(RecordingFile& file, const std::function<Status(Chunk& chunk)>& visit)
      : file_(file), visit_(visit) {}

  Result<ChunkSeries> Run() {
    for (uint64_t at = 0; at < file_.size();) {
      const Result<ChunkHeader> header = ChunkHeader::Read(file_, at);
      Status status = header.status();
      if (header.ok()) status = Visit(*header);
      if (status.code() == Code::kIo || failed_) return status;
      if (!status.ok()) LeaveOut(at, status);
      if (header.ok() && header->is_finished && !header->is_cut) {
        at += header->size;
        continue;
      }
      // What follows a chunk that was not finished is nothing that its header knows of.
      const uint64_t from = header.ok() ? std::max<uint64_t>(header->size, ChunkHeader::kSize) : 1;
      const Result<uint64_t> next = FindChunk(file_, std::min(at + from, file_.size()));
      if (!next.ok()) return next.status();
      at = *next;
    }
    if (made_.read == 0) {
      return first_.ok() ? Status(Code::kBadInput, "is empty, and so no recording") : first_;
    }
    return std::move(made_);
  }

 private:
  Status Visit(const ChunkHeader& header) {
    Result<Chunk> chunk = Chunk::Open(file_, header);
    if (!chunk.ok()) return chunk.status();
    if (Status status = visit_(*chunk); !status.ok()) {
      failed_ = true;
      return status;
    }
    ++made_.read;
    if (!header.is_finished) {
      ++made_.read_in_part;
      Add(header.offset, "was not finished: it is read up to its last checkpoint");
    } else if (!chunk->damage().empty()) {
      ++made_.read_in_part;
    }
    if (!chunk->damage().empty()) Add(header.offset, chunk->damage());
    return {};
  }

  void LeaveOut(uint64_t at, const Status& status) {
    ++made_.left_out;
    Add(at, status.message() + "; it is left out");
    if (first_.ok())
      first_ = {status.code(), fmt::format("the chunk at {} {}", at, status.message())};
  }

  void Add(uint64_t at, const std::string& what) {
    if (made_.problems.size() < kMostProblems)
      made_.problems.push_back(fmt::format("the chunk at {} {}", at, what));
  }

  RecordingFile& file_;
  const std::function<Status(Chunk& chunk)>& visit_;
  bool failed_ = false;
  ChunkSeries made_;
  Status first_;  // why the first one was left out
};

}  // namespace

Result<ChunkSeries> ForEachChunk(RecordingFile& file,
                                 const std::function<Status(Chunk& chunk)>& visit) {
  return Series(file, visit).Run();
}

}  // namespace iprof::jfr
