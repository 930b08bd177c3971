// Chunk: one chunk of a recording: its header, its layouts, its constants, and a walk over its events.
//
// A recording is chunks that follow each other. A chunk has 68 bytes of header and then events: a size, a type, and fields.
// Two types are special: 0 is the metadata, of which the last one counts, and 1 a checkpoint with constants.
//
//   const Result<ChunkHeader> header = ChunkHeader::Read(file, 0);
//   Result<Chunk> chunk = Chunk::Open(file, *header);
//   chunk->ForEachEvent(wants, [&](const Layout& type, FieldReader fields) { … });
//
// Guarantees: reads chunks of version 2, with or without compressed integers. If an event is damaged, what is before it can be
// read, with the metadata and the checkpoints behind it that the header leads to; damage() says where. A chunk that the JVM has
// not finished is read up to its last checkpoint, as its header has it.
// Threads: one at a time. Failure: a Status whose sentence begins behind "the chunk at 1234 …". Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/jfr/constants.h"
#include "cli/jfr/field_reader.h"
#include "cli/jfr/layouts.h"
#include "cli/jfr/recording_file.h"
#include "writer/base/status.h"

namespace iprof::jfr {

struct ChunkHeader {
  static constexpr size_t kSize = 68;

  uint64_t offset = 0;  // in the file, as all others are in the chunk
  uint64_t size = 0;    // 0: nothing was written behind the header
  uint64_t constants_at = 0;
  uint64_t metadata_at = 0;
  int64_t start_ns = 0;  // since 1970
  int64_t duration_ns = 0;
  int64_t start_ticks = 0;
  int64_t ticks_per_second = 0;  // at least 1
  bool is_compressed = false;
  bool is_finished = false;
  bool is_cut = false;  // the file ends before the chunk; `size` is what is there

  static Result<ChunkHeader> Read(RecordingFile& file, uint64_t offset);
  // How long so many ticks are; saturates.
  int64_t NsOf(int64_t ticks) const;
  // When a tick was, in ms since 1970.
  int64_t MsAt(int64_t ticks) const;
};

class Chunk {
 public:
  static Result<Chunk> Open(RecordingFile& file, const ChunkHeader& header);

  const ChunkHeader& header() const { return header_; }
  const Layouts& layouts() const { return *layouts_; }
  Constants& constants() { return *constants_; }
  // What is wrong, and what is left out because of it; empty: nothing.
  const std::string& damage() const { return damage_; }

  using Wants = std::function<bool(const Layout& type)>;
  // `fields` are valid until the next call of the file.
  using Visit = std::function<void(const Layout& type, FieldReader fields)>;
  Status ForEachEvent(const Wants& wants, const Visit& visit);

 private:
  struct EventHead {
    uint64_t at = 0;
    uint64_t size = 0;
    int64_t type = 0;
    size_t head = 0;  // how many bytes the size and the type take
  };

  Chunk(RecordingFile& file, const ChunkHeader& header) : file_(&file), header_(header) {}
  Result<EventHead> HeadAt(uint64_t at) const;
  // Behind the head.
  Result<FieldReader> FieldsOf(const EventHead& event) const;
  // Finds the checkpoints and the metadata, and where the events end.
  void Scan();
  void ScanChain();
  Status ReadLayouts();
  void ReadConstants();
  void Note(const std::string& damage);

  RecordingFile* file_;
  ChunkHeader header_;
  uint64_t end_ = 0;  // of the events that can be read
  std::vector<uint64_t> checkpoints_;
  uint64_t metadata_at_ = 0;
  std::string damage_;
  // Pointers, because constants refer to the layouts.
  std::unique_ptr<Layouts> layouts_;
  std::unique_ptr<Constants> constants_;
};

}  // namespace iprof::jfr
