#include "cli/jfr/chunk.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace iprof::jfr {
namespace {

constexpr int64_t kMetadataEvent = 0;
constexpr int64_t kCheckpointEvent = 1;
// An event's size has 28 bits where it is compressed.
constexpr uint64_t kMostEventBytes = uint64_t{1} << 28;
constexpr size_t kMostHeadBytes = 18;  // two compressed integers

__extension__ using Wide = __int128;
constexpr int64_t kNsPerSecond = 1'000'000'000;

}  // namespace

Result<ChunkHeader> ChunkHeader::Read(RecordingFile& file, uint64_t offset) {
  if (file.size() - offset < kSize) {
    return Status(Code::kBadInput,
                  fmt::format("is cut short: {} bytes are no header", file.size() - offset));
  }
  const auto bytes = file.View(offset, kSize);
  if (!bytes.ok()) return bytes.status();
  if (!BeginsRecording(*bytes)) return Status(Code::kBadInput, "has no header");
  FieldReader in(*bytes, /*compressed=*/false);
  in.Fixed(4);
  const auto major = static_cast<unsigned>(in.Fixed(2));
  const auto minor = static_cast<unsigned>(in.Fixed(2));
  if (major != 2) {
    return Status(
        Code::kUnsupported,
        fmt::format("has version {}.{} of the format, and only 2 can be read", major, minor));
  }
  ChunkHeader header;
  header.offset = offset;
  header.size = in.Fixed(8);
  header.constants_at = in.Fixed(8);
  header.metadata_at = in.Fixed(8);
  header.start_ns = in.Long();
  header.duration_ns = in.Long();
  header.start_ticks = in.Long();
  header.ticks_per_second = in.Long();
  header.is_finished = in.Byte() == 0;
  in.Byte();
  header.is_compressed = (in.Fixed(2) & 1) != 0;
  if (header.ticks_per_second < 1)
    return Status(Code::kBadInput, "has a damaged header: its clock stands still");
  if (header.size == 0) {
    header.is_finished = false;
    return header;
  }
  if (header.size < kSize)
    return Status(Code::kBadInput, "has a damaged header: its size is wrong");
  header.is_cut = header.size > file.size() - offset;
  header.size = std::min(header.size, file.size() - offset);
  return header;
}

int64_t ChunkHeader::NsOf(int64_t ticks) const {
  const Wide ns = static_cast<Wide>(ticks) * kNsPerSecond / ticks_per_second;
  return static_cast<int64_t>(std::clamp<Wide>(ns, std::numeric_limits<int64_t>::min(),
                                               std::numeric_limits<int64_t>::max()));
}

int64_t ChunkHeader::MsAt(int64_t ticks) const {
  const Wide since = static_cast<Wide>(ticks) - start_ticks;
  const Wide ns = since * kNsPerSecond / ticks_per_second + start_ns;
  return static_cast<int64_t>(
      std::clamp<Wide>(ns / 1'000'000, 0, std::numeric_limits<int64_t>::max()));
}

Result<Chunk> Chunk::Open(RecordingFile& file, const ChunkHeader& header) {
  Chunk chunk(file, header);
  if (header.is_cut) chunk.Note("is cut short: the file ends inside it");
  if (header.size == 0) return Status(Code::kNothingYet, "was not finished, and has no checkpoint");
  chunk.Scan();
  if (Status status = chunk.ReadLayouts(); !status.ok()) return status;
  chunk.ReadConstants();
  return chunk;
}

void Chunk::Note(const std::string& damage) {
  if (damage_.empty()) damage_ = damage;
}

Result<Chunk::EventHead> Chunk::HeadAt(uint64_t at) const {
  const uint64_t left = header_.size - at;
  const auto bytes = file_->View(header_.offset + at,
                                 static_cast<size_t>(std::min<uint64_t>(kMostHeadBytes, left)));
  if (!bytes.ok()) return bytes.status();
  FieldReader in(*bytes, header_.is_compressed);
  EventHead head;
  head.at = at;
  head.size = static_cast<uint32_t>(in.Int());
  head.type = in.Long();
  head.head = in.at();
  if (!in.ok() || head.size < head.head || head.size > left || head.size > kMostEventBytes) {
    return Status(Code::kBadInput,
                  fmt::format("is damaged at {}: no event begins there", header_.offset + at));
  }
  return head;
}

Result<FieldReader> Chunk::FieldsOf(const EventHead& event) const {
  const auto bytes = file_->View(header_.offset + event.at, static_cast<size_t>(event.size));
  if (!bytes.ok()) return bytes.status();
  return FieldReader(bytes->subspan(event.head), header_.is_compressed);
}

void Chunk::Scan() {
  for (end_ = ChunkHeader::kSize; end_ < header_.size;) {
    const Result<EventHead> event = HeadAt(end_);
    if (!event.ok()) {
      Note(event.status().message());
      return ScanChain();
    }
    if (event->type == kMetadataEvent) metadata_at_ = end_;
    if (event->type == kCheckpointEvent) checkpoints_.push_back(end_);
    end_ += event->size;
  }
}

// Behind the end of the events, the header leads to the metadata and to the last checkpoint, and each checkpoint to the one
// before it.
void Chunk::ScanChain() {
  const auto is_event = [&](uint64_t at, int64_t type) {
    if (at < end_ || at >= header_.size) return false;
    const Result<EventHead> event = HeadAt(at);
    return event.ok() && event->type == type;
  };
  if (is_event(header_.metadata_at, kMetadataEvent)) metadata_at_ = header_.metadata_at;
  std::vector<uint64_t> behind;
  for (uint64_t at = header_.constants_at; is_event(at, kCheckpointEvent);) {
    behind.push_back(at);
    const Result<EventHead> event = HeadAt(at);
    const Result<FieldReader> fields = event.ok() ? FieldsOf(*event) : event.status();
    const uint64_t back = fields.ok() ? Constants::DistanceBack(*fields) : 0;
    if (back == 0 || back > at) break;
    at -= back;
  }
  checkpoints_.insert(checkpoints_.end(), behind.rbegin(), behind.rend());
}

Status Chunk::ReadLayouts() {
  if (metadata_at_ == 0) {
    return {Code::kBadInput, damage_.empty() ? "has no metadata, so nothing in it can be read"
                                             : damage_ + ", and its metadata is not there"};
  }
  const Result<EventHead> event = HeadAt(metadata_at_);
  if (!event.ok()) return event.status();
  const Result<FieldReader> fields = FieldsOf(*event);
  if (!fields.ok()) return fields.status();
  Result<Layouts> layouts = Layouts::Parse(*fields);
  if (!layouts.ok()) {
    return {layouts.status().code(),
            fmt::format("cannot be read: at {}, {}", header_.offset + metadata_at_,
                        layouts.status().message())};
  }
  layouts_ = std::make_unique<Layouts>(std::move(*layouts));
  return {};
}

void Chunk::ReadConstants() {
  constants_ = std::make_unique<Constants>(*layouts_, header_.is_compressed);
  for (const uint64_t at : checkpoints_) {
    const Result<EventHead> event = HeadAt(at);
    const Result<FieldReader> fields = event.ok() ? FieldsOf(*event) : event.status();
    const Status status = fields.ok() ? constants_->AddCheckpoint(*fields) : fields.status();
    if (!status.ok())
      Note(fmt::format("is damaged at {}: {}", header_.offset + at, status.message()));
  }
  checkpoints_ = {};
}

Status Chunk::ForEachEvent(const Wants& wants, const Visit& visit) {
  // Types are asked about once.
  std::unordered_map<int64_t, const Layout*> wanted;
  for (uint64_t at = ChunkHeader::kSize; at < end_;) {
    const Result<EventHead> event = HeadAt(at);
    if (!event.ok()) return event.status();
    const auto [known, is_new] = wanted.try_emplace(event->type);
    if (is_new) {
      const Layout* const type = layouts_->Find(event->type);
      known->second = type != nullptr && wants(*type) ? type : nullptr;
    }
    if (known->second != nullptr) {
      const Result<FieldReader> fields = FieldsOf(*event);
      if (!fields.ok()) return fields.status();
      visit(*known->second, *fields);
    }
    at += event->size;
  }
  return {};
}

}  // namespace iprof::jfr
