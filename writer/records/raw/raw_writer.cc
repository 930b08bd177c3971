#include "writer/records/raw/raw_writer.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "writer/profile/io/agent_section.h"
#include "writer/records/raw/raw_output.h"
#include "writer/records/raw/raw_pairs.h"
#include "writer/records/raw/raw_records.h"
#include "writer/records/raw/raw_space.h"

namespace iprof {
namespace {

// Kept free, for what must be added even to a full file: that a class is gone. Such a record is a tenth of
// the smallest class record. The rest is for the tail.
constexpr uint64_t kReservedShare = 8;
constexpr uint64_t kReservedForTail = 16 << 10;

// How much is kept in memory while the file cannot be written.
constexpr size_t kMostWaitingBytes = 8 << 20;

constexpr size_t kMapNode = 64;  // an entry of a hash map, roughly

const std::array<uint8_t, kRawPageBytes> kZeroPage{};

std::span<const uint8_t> BytesOf(std::span<const uint64_t> words) {
  return {reinterpret_cast<const uint8_t*>(words.data()), words.size_bytes()};
}

// Without the zeros at its end.
std::span<const uint64_t> Trimmed(std::span<const uint64_t> words) {
  while (!words.empty() && words.back() == 0) words = words.first(words.size() - 1);
  return words;
}

}  // namespace

struct RawWriter::Rep {
  using Harvest = std::shared_ptr<const RawHarvestBytes>;

  Rep(std::unique_ptr<RawOutput> o, RawHeader h, const RawLimits& l)
      : output(std::move(o)),
        header(std::move(h)),
        limits(l),
        space(std::clamp(l.most_bytes, kLeastRawBytes, kMostRawBytes)),
        zero_hash(RawHashOf(kZeroPage)) {
    lengths.arrays[static_cast<size_t>(RawArray::kTail)] = kReservedForTail;
  }

  Status Write(std::span<const uint8_t> bytes, uint64_t at) { return output->Write(bytes, at); }
  Status WriteHeader() { return Write(EncodeRawHeader(header), 0); }

  // The log.
  uint64_t Reserve() const { return space.most_bytes() / kReservedShare; }
  bool Append(const RawRecord& record, const RawLengths& after, uint64_t spare);
  bool Append(const RawRecord& record) { return Append(record, lengths, Reserve()); }
  // For what the file must not lack. Takes the room that is reserved, and memory while the file cannot be written.
  void AppendAtAnyRate(const RawRecord& record);
  // Also needs room for element `number` of the array.
  bool AppendWith(const RawRecord& record, RawArray array, uint64_t number);

  // A generation.
  Status WriteLog();
  Status WriteArray(RawArray array, size_t copy, std::span<const uint8_t> bytes);
  Status WriteRun(RawArray array, size_t copy, uint64_t first, uint64_t end,
                  std::span<const uint8_t> bytes);
  Status WriteGeneration(const RawGeneration& numbers);
  uint64_t Fit(RawArray array, std::span<const uint64_t>* words);
  bool FitBytes(RawArray array, uint64_t bytes);
  Harvest FitHarvest(const RawGeneration& numbers, RawCommit* commit);
  RawRecord FitTail(const RawGeneration& numbers, const Harvest& used, RawCommit* commit);
  bool IsMostlyGarbage(const RawGeneration& numbers) const;

  const std::unique_ptr<RawOutput> output;
  const RawHeader header;
  const RawLimits limits;

  RawSpace space;
  std::vector<RawSpace::Extent> new_extents;  // not yet in the file
  RawLengths lengths;                         // what was added needs this
  std::vector<uint8_t> pending;               // the end of the log, not yet in the file
  bool fails = false;                         // the last write failed

  const uint64_t zero_hash;
  // Of each page of each copy, as it is in the file. While a page is written, and after that failed, it is
  // the complement of the hash that the page should get: it equals neither that nor the old one, so the page is written
  // again in any case.
  std::array<std::array<std::vector<uint64_t>, kRawArrays>, 2> hashes;
  uint64_t generation = 0;
  Harvest harvest;  // the last one that had room

  RawLosses lost;              // of what was added
  RawLosses published_losses;  // and of the last generation
  bool is_full = false;        // something had no room
  bool is_stuck = false;       // it cannot be left out, so nothing can be published
  uint64_t unloaded = 0;       // records that say that a class is gone, or that counts are void
  uint64_t dead_bytes = 0;
  uint64_t unloaded_bytes = 0;                     // of classes that are gone, with counts
  std::unordered_map<uint32_t, uint32_t> classes;  // bytes of loaded ones, by number
  std::unordered_set<uint32_t> lost_classes;
  RawPairs pairs;
  std::vector<bool> methods;  // by number: in the log
  std::map<std::string, uint64_t, std::less<>> part_bytes;
  uint64_t element_bytes = 0;  // of pairs and stacks in the log
  uint64_t elements = 0;
};

bool RawWriter::Rep::Append(const RawRecord& record, const RawLengths& after, uint64_t spare) {
  RawLengths all = after;
  all.log += record.size();
  const bool has_room =
      space.Fits(all, spare) && (!fails || pending.size() + record.size() <= kMostWaitingBytes);
  if (!has_room) {
    is_full = true;
    return false;
  }
  pending.insert(pending.end(), record.begin(), record.end());
  lengths = all;
  return true;
}

void RawWriter::Rep::AppendAtAnyRate(const RawRecord& record) {
  const bool failed_before = std::exchange(fails, false);
  if (!Append(record, lengths, 0)) is_stuck = true;
  fails = failed_before;
}

bool RawWriter::Rep::AppendWith(const RawRecord& record, RawArray array, uint64_t number) {
  RawLengths after = lengths;
  uint64_t& bytes = after.arrays[static_cast<size_t>(array)];
  bytes = std::max(bytes, (number + 1) * sizeof(uint64_t));
  return Append(record, after, Reserve());
}

Status RawWriter::Rep::WriteLog() {
  for (const RawSpace::Extent& extent : space.Grow(lengths, 0)) new_extents.push_back(extent);
  while (!new_extents.empty()) {
    const RawSpace::Extent& next = new_extents.front();
    const RawExtentWords words = EncodeRawExtent(next.extent);
    if (Status status = Write(BytesOf(words), next.offset); !status.ok()) return status;
    if (next.extent.array) {
      for (auto& copy : hashes) {
        auto& pages = copy[static_cast<size_t>(*next.extent.array)];
        pages.resize(pages.size() + next.extent.pages, zero_hash);
      }
    }
    new_extents.erase(new_extents.begin());
  }
  Status status;
  const uint64_t begin = lengths.log - pending.size();
  space.ForEachLogPiece(begin, lengths.log, [&](uint64_t offset, uint64_t at, uint64_t size) {
    status = Write(std::span(pending).subspan(at - begin, size), offset);
    return status.ok();
  });
  if (!status.ok()) return status;
  pending.clear();
  if (pending.capacity() > kMostWaitingBytes) pending.shrink_to_fit();
  return {};
}

// Writes pages [first, end) of a copy. The bytes are those of the whole array.
Status RawWriter::Rep::WriteRun(RawArray array, size_t copy, uint64_t first, uint64_t end_page,
                                std::span<const uint8_t> bytes) {
  Status status;
  space.ForEachPiece(
      array, copy, first, end_page, [&](uint64_t offset, uint64_t page, uint64_t pages) {
        const auto part = bytes.subspan(page * kRawPageBytes);
        const auto whole = part.first(std::min<size_t>(part.size(), pages * kRawPageBytes));
        status = Write(whole, offset);
        const size_t rest = whole.size() % kRawPageBytes;
        if (status.ok() && rest > 0) {
          status = Write(std::span(kZeroPage).first(kRawPageBytes - rest), offset + whole.size());
        }
        return status.ok();
      });
  return status;
}

// Writes the pages that differ from those in the file.
Status RawWriter::Rep::WriteArray(RawArray array, size_t copy, std::span<const uint8_t> bytes) {
  std::vector<uint64_t>& known = hashes[copy][static_cast<size_t>(array)];
  const uint64_t pages = RawPagesOf(bytes.size());
  std::optional<uint64_t> run;
  for (uint64_t page = 0; page <= pages; ++page) {
    bool differs = false;
    if (page < pages) {
      const uint64_t hash = RawPageHash(bytes.subspan(page * kRawPageBytes));
      differs = known[page] != hash;
      if (differs) known[page] = ~hash;
    }
    if (differs && !run) run = page;
    if (!differs && run) {
      if (Status status = WriteRun(array, copy, *run, page, bytes); !status.ok()) return status;
      for (uint64_t written = *run; written < page; ++written) known[written] = ~known[written];
      run.reset();
    }
  }
  return {};
}

// Makes room for an array of that length, if there is any.
bool RawWriter::Rep::FitBytes(RawArray array, uint64_t bytes) {
  RawLengths wanted = lengths;
  uint64_t& room = wanted.arrays[static_cast<size_t>(array)];
  if (bytes <= room) return true;
  room = bytes;
  if (!space.Fits(wanted, Reserve())) {
    is_full = true;
    return false;
  }
  lengths = wanted;
  return true;
}

// Cuts an array to the room that there is. Returns how many words were cut.
uint64_t RawWriter::Rep::Fit(RawArray array, std::span<const uint64_t>* words) {
  if (FitBytes(array, words->size_bytes())) return 0;
  const size_t room = lengths.arrays[static_cast<size_t>(array)] / sizeof(uint64_t);
  const uint64_t cut = words->size() - room;
  *words = Trimmed(words->first(room));
  return cut;
}

// The new harvest, or else the last one.
RawWriter::Rep::Harvest RawWriter::Rep::FitHarvest(const RawGeneration& numbers,
                                                   RawCommit* commit) {
  for (const auto& one : {numbers.harvest, harvest}) {
    if (one != nullptr && FitBytes(RawArray::kHarvest, one->bytes.size())) {
      if (one != numbers.harvest) commit->at_rest = false;
      return one;
    }
    if (one != nullptr) commit->losses.harvest = 1;
  }
  return nullptr;
}

// The tail, as much of it as there is room for. The frames that are live go first: they only say how exact counts are,
// and without them no count is called exact.
RawRecord RawWriter::Rep::FitTail(const RawGeneration& numbers, const Harvest& used,
                                  RawCommit* commit) {
  std::vector<RawPart> parts(numbers.parts.begin(), numbers.parts.end());
  if (used != nullptr && !used->part.empty()) parts.push_back({kHarvestPart, used->part});
  RawTail tail{parts, numbers.live_frames, numbers.estimated};
  while (true) {
    RawRecord bytes = EncodeRawTail(tail);
    if (FitBytes(RawArray::kTail, bytes.size())) return bytes;
    ++commit->losses.parts;
    if (!tail.live_frames.empty()) {
      tail.live_frames = {};
      commit->at_rest = false;
    } else if (!tail.estimated.calls.empty()) {
      tail.estimated = {.calls = {}, .unnamed = tail.estimated.with_estimates()};
    } else {
      tail.parts = tail.parts.first(tail.parts.size() - 1);  // without any, it always has room
    }
  }
}

Status RawWriter::Rep::WriteGeneration(const RawGeneration& numbers) {
  RawCommit commit{.generation = generation + 1,
                   .run = numbers.run,
                   .time_ns = numbers.time_ns,
                   .at_rest = numbers.at_rest,
                   .losses = lost};
  const auto named = pairs.Kept(numbers.pairs, header.assembly.max_lost, &commit.losses.pairs);
  std::array<std::span<const uint64_t>, 3> words = {Trimmed(numbers.counters), Trimmed(named),
                                                    Trimmed(numbers.stacks)};
  commit.losses.counters += Fit(RawArray::kCounters, words.data());
  commit.losses.pairs += Fit(RawArray::kPairs, &words[1]);
  commit.losses.stacks += Fit(RawArray::kStacks, &words[2]);
  const Harvest used = harvest = FitHarvest(numbers, &commit);  // also if the generation fails
  const RawRecord tail = FitTail(numbers, used, &commit);
  if (is_stuck)
    return {Code::kLimit,
            output->path() + ": is full, so it cannot even say which classes are gone"};
  if (Status status = WriteLog(); !status.ok()) return status;

  const size_t copy = commit.generation % 2;
  std::array<std::span<const uint8_t>, kRawHashedArrays> arrays = {
      BytesOf(words[0]), BytesOf(words[1]), BytesOf(words[2]), tail};
  if (used != nullptr) arrays[static_cast<size_t>(RawArray::kHarvest)] = used->bytes;
  std::vector<uint64_t> all_hashes;
  for (size_t a = 0; a < arrays.size(); ++a) {
    const auto array = static_cast<RawArray>(a);
    if (Status status = WriteArray(array, copy, arrays[a]); !status.ok()) return status;
    commit.array_bytes[a] = arrays[a].size();
    const auto first = hashes[copy][a].begin();
    all_hashes.insert(all_hashes.end(), first,
                      first + static_cast<ptrdiff_t>(RawPagesOf(arrays[a].size())));
  }
  const auto hash_bytes = BytesOf(all_hashes);
  if (Status status = WriteArray(RawArray::kHashes, copy, hash_bytes); !status.ok()) return status;
  commit.array_bytes.back() = hash_bytes.size();
  commit.hash = RawHashOf(hash_bytes);
  commit.file_bytes = space.file_bytes();
  commit.log_bytes = lengths.log;
  commit.unloaded = unloaded;
  const RawCommitWords commit_words = EncodeRawCommit(commit);
  if (Status status = Write(BytesOf(commit_words), RawCommitPlace(copy)); !status.ok())
    return status;
  generation = commit.generation;
  published_losses = commit.losses;
  return {};
}

// Whether a file without what no longer counts would be smaller by a quarter of its log.
bool RawWriter::Rep::IsMostlyGarbage(const RawGeneration& numbers) const {
  uint64_t dead = dead_bytes;
  if (elements > 0) {
    const auto unused = static_cast<uint64_t>(
        std::count(numbers.pairs.begin(), numbers.pairs.end(), uint64_t{0}) +
        std::count(numbers.stacks.begin(), numbers.stacks.end(), uint64_t{0}));
    dead += std::min(unused, elements) * (element_bytes / elements);
  }
  return dead > 0 && dead * 4 >= lengths.log;
}

RawWriter::RawWriter(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
RawWriter::~RawWriter() = default;

Result<std::unique_ptr<RawWriter>> RawWriter::Create(const NameOf& name_of, const RawHeader& header,
                                                     const RawLimits& limits, SystemCalls& calls) {
  Result<std::unique_ptr<RawOutput>> output = RawOutput::Create(name_of, calls);
  if (!output.ok()) return output.status();
  auto rep = std::make_unique<Rep>(std::move(*output), header, limits);
  if (Status status = rep->WriteHeader(); !status.ok()) {
    rep->output->Remove();
    return status;
  }
  return std::unique_ptr<RawWriter>(new RawWriter(std::move(rep)));
}

Result<std::unique_ptr<RawWriter>> RawWriter::Rewrite() {
  Result<std::unique_ptr<RawOutput>> output = rep_->output->Replacement();
  if (!output.ok()) return output.status();
  auto rep = std::make_unique<Rep>(std::move(*output), rep_->header, rep_->limits);
  rep->generation = rep_->generation;
  rep->harvest = rep_->harvest;
  if (Status status = rep->WriteHeader(); !status.ok()) return status;
  return std::unique_ptr<RawWriter>(new RawWriter(std::move(rep)));
}

void RawWriter::Remove() { rep_->output->Remove(); }

void RawWriter::AddClass(uint32_t number, const ClassRecord& record) {
  Rep& r = *rep_;
  RawLengths after = r.lengths;
  uint64_t& counters = after.arrays[static_cast<size_t>(RawArray::kCounters)];
  for (const CountedMethod& method : record.methods) {
    const uint64_t last = uint64_t{static_cast<uint32_t>(method.first)} + method.counters;
    if (method.counters > 0) counters = std::max(counters, last * sizeof(uint64_t));
  }
  const RawRecord bytes = EncodeRawClass(number, record);
  const auto known = r.classes.find(number);
  if (bytes.size() > kMostRawClassBytes || !r.Append(bytes, after, r.Reserve())) {
    // Also if an older record of the class stays: what is new about it is missing.
    if (r.lost_classes.insert(number).second) ++r.lost.classes;
    return;
  }
  if (known != r.classes.end()) r.dead_bytes += known->second;
  r.classes.insert_or_assign(number, static_cast<uint32_t>(bytes.size()));
  if (r.lost_classes.erase(number) > 0) --r.lost.classes;
}

void RawWriter::AddUnloaded(uint32_t number, const UnloadedCounts& counts) {
  Rep& r = *rep_;
  r.lost_classes.erase(number);
  const auto known = r.classes.find(number);
  if (known == r.classes.end()) return;  // it was lost, with its counts
  uint64_t bytes = known->second;
  r.classes.erase(known);
  if (counts.Total() > 0) {
    const RawRecord record = EncodeRawUnloaded(number, counts);
    if (r.Append(record)) {
      ++r.unloaded;
      r.unloaded_bytes += bytes + record.size();
      return;
    }
    ++r.lost.unloaded;
  }
  const RawRecord gone = EncodeRawUnloaded(number, {});
  ++r.unloaded;
  r.AppendAtAnyRate(gone);
  r.dead_bytes += bytes + gone.size();
}

void RawWriter::ForgetUnloaded() {
  Rep& r = *rep_;
  const RawRecord record = EncodeRawForgotten();
  ++r.unloaded;
  r.AppendAtAnyRate(record);
  r.dead_bytes += r.unloaded_bytes + record.size();
  r.unloaded_bytes = 0;
  r.harvest = nullptr;
}

void RawWriter::AddType(std::string_view owner, std::string_view name,
                        std::span<const std::pair<std::string, std::string>> methods) {
  if (!rep_->Append(EncodeRawType(owner, name, methods))) ++rep_->lost.types;
}

void RawWriter::AddPair(uint32_t number, uint32_t site, std::string_view type) {
  const RawRecord record = EncodeRawPair(number, site, type);
  rep_->pairs.Add(number, site, RawPairs::Kind::kNone);  // so that nothing fails once it is added
  if (!rep_->AppendWith(record, RawArray::kPairs, number)) {
    rep_->pairs.Add(number, site, RawPairs::Kind::kNoRecord);
    ++rep_->lost.pairs;
    return;
  }
  rep_->pairs.Add(number, site, type.empty() ? RawPairs::Kind::kLost : RawPairs::Kind::kType);
  ++rep_->elements;
  rep_->element_bytes += record.size() + 2 * sizeof(uint64_t);
}

void RawWriter::AddMethod(uint32_t number, const RawMethod& method) {
  // One that has no room is missing in its stacks.
  if (!rep_->Append(EncodeRawMethod(number, method))) return;
  if (rep_->methods.size() <= number) rep_->methods.resize(size_t{number} + 1);
  rep_->methods[number] = true;
}

void RawWriter::AddStack(uint32_t number, std::span<const RawStackFrame> frames, bool cut) {
  const bool whole = std::all_of(frames.begin(), frames.end(), [this](const RawStackFrame& frame) {
    return frame.method < rep_->methods.size() && rep_->methods[frame.method];
  });
  const RawRecord record = EncodeRawStack(number, frames, cut);
  if (!whole || !rep_->AppendWith(record, RawArray::kStacks, number)) {
    ++rep_->lost.stacks;
    return;
  }
  ++rep_->elements;
  rep_->element_bytes += record.size() + 2 * sizeof(uint64_t);
}

void RawWriter::AddFirst(std::span<const uint32_t> counters) {
  if (!rep_->Append(EncodeRawFirst(counters))) ++rep_->lost.parts;
}

void RawWriter::AddPart(const RawPart& part) {
  const RawRecord record = EncodeRawPart(part);
  if (!rep_->Append(record)) {
    ++rep_->lost.parts;
    return;
  }
  uint64_t& bytes = rep_->part_bytes[std::string(part.name)];
  rep_->dead_bytes += bytes;
  bytes = record.size();
}

Status RawWriter::Flush() {
  Status status = rep_->output->Check();
  if (status.ok()) status = rep_->WriteLog();
  rep_->fails = !status.ok();
  return status;
}

RawPublication RawWriter::Publish(const RawGeneration& generation) {
  Rep& r = *rep_;
  RawPublication done;
  const uint64_t before = r.output->total_bytes();
  done.status = r.output->Check();
  if (!done.status.ok()) {
    done.wants_rewrite = r.output->is_open();
  } else {
    done.status = r.WriteGeneration(generation);
    if (done.status.ok()) {
      done.status = r.output->TakePlace();
      done.name_is_taken = r.output->name_is_taken();
    }
    done.wants_rewrite = done.status.ok() && r.is_full && r.IsMostlyGarbage(generation);
  }
  r.fails = !done.status.ok();
  done.generation = r.generation;
  done.written_bytes = r.output->total_bytes() - before;
  done.file_bytes = r.output->end();
  return done;
}

const std::string& RawWriter::path() const { return rep_->output->path(); }
bool RawWriter::has_harvest() const { return rep_->harvest != nullptr; }
const RawLosses& RawWriter::losses() const { return rep_->published_losses; }
uint64_t RawWriter::file_bytes() const { return rep_->output->end(); }

size_t RawWriter::memory_bytes() const {
  const Rep& r = *rep_;
  size_t bytes = sizeof(Rep) + r.pending.capacity() + r.space.memory_bytes() +
                 r.pairs.memory_bytes() + r.methods.size() / 8 +
                 (r.classes.size() + r.lost_classes.size()) * kMapNode;
  if (r.harvest != nullptr) bytes += r.harvest->bytes.capacity() + r.harvest->part.capacity();
  for (const auto& copy : r.hashes) {
    for (const auto& pages : copy) bytes += pages.capacity() * sizeof(uint64_t);
  }
  return bytes;
}

}  // namespace iprof
