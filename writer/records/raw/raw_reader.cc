#include "writer/records/raw/raw_reader.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "writer/records/raw/raw_harvest.h"
#include "writer/records/raw/raw_records.h"
#include "writer/records/raw/raw_space.h"

namespace iprof {
namespace {

// A running JVM may overwrite the copy that is being read. It then leaves the other one alone for a
// whole period.
constexpr int kMostAttempts = 4;

std::span<const uint64_t> WordsOf(const std::vector<uint64_t>& words) { return words; }

std::span<const uint8_t> BytesOf(std::span<const uint64_t> words) {
  return {reinterpret_cast<const uint8_t*>(words.data()), words.size_bytes()};
}

// A copy of an array. Zeros at its end may be missing.
struct ReadArray {
  std::vector<uint64_t> words;
  uint64_t damaged_pages = 0;
};

class FileReading {
 public:
  FileReading(RawBytes& file, std::string name) : file_(file), name_(std::move(name)) {}

  RunId NewestRun() {
    const bool is_read = ReadHeader().ok() && ReadCommits().ok() && !commits_.empty();
    return is_read ? commits_.front().second.run : RunId();
  }

  Result<RawContents> Run() {
    if (Status status = ReadHeader(); !status.ok()) return status;
    std::optional<RawContents> best;
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      if (Status status = ReadCommits(); !status.ok()) return status;
      for (const auto& [copy, commit] : commits_) {
        RawContents contents;
        const Result<bool> is_usable = Load(copy, commit, &contents);
        if (!is_usable.ok()) return is_usable.status();
        if (!*is_usable) continue;
        contents.newer_is_damaged = commit.generation < commits_.front().second.generation ||
                                    (unreadable_ && !SeemsToPrecede(*unreadable_, commit));
        if (DamageOf(contents) == 0) return contents;
        if (!best || DamageOf(contents) < DamageOf(*best)) best = std::move(contents);
      }
    }
    if (best) return std::move(*best);
    return WhyNothing();
  }

 private:
  Status Say(Code code, std::string_view what) const {
    return {code, name_ + ": " + std::string(what)};
  }

  Status ReadHeader() {
    const Result<uint64_t> size = file_.Size();
    if (!size.ok()) return Say(Code::kIo, size.status().message());
    if (*size > kMostRawBytes) return Say(Code::kLimit, "is larger than a raw file can be (1 GiB)");
    std::vector<uint8_t> page(kRawPageBytes);
    const Result<size_t> read = file_.ReadAt(0, page.data(), page.size());
    if (!read.ok()) return Say(Code::kIo, read.status().message());
    const Result<RawHeader> header = DecodeRawHeader(std::span(page).first(*read));
    if (!header.ok()) return Say(header.status().code(), header.status().message());
    header_ = *header;
    return {};
  }

  // The valid commits, the newest first.
  Status ReadCommits() {
    commits_.clear();
    unreadable_.reset();
    const Result<uint64_t> size = file_.Size();
    if (!size.ok()) return Say(Code::kIo, size.status().message());
    size_ = std::min(*size, kMostRawBytes);
    for (size_t copy = 0; copy < 2; ++copy) {
      if (Status status = ReadCommit(copy); !status.ok()) return status;
    }
    std::sort(commits_.begin(), commits_.end(), [](const auto& a, const auto& b) {
      return a.second.generation > b.second.generation;
    });
    return {};
  }

  Status ReadCommit(size_t copy) {
    RawCommitWords words{};
    // A running JVM may be writing it. It is done at once.
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      words.fill(0);
      const Result<size_t> read =
          file_.ReadAt(RawCommitPlace(copy), reinterpret_cast<uint8_t*>(words.data()),
                       words.size() * sizeof words[0]);
      if (!read.ok()) return Say(Code::kIo, read.status().message());
      if (std::all_of(words.begin(), words.end(), [](uint64_t word) { return word == 0; }))
        return {};
      if (const auto commit = DecodeRawCommit(words)) {
        commits_.emplace_back(copy, *commit);
        return {};
      }
    }
    unreadable_ = words;
    return {};
  }

  Status WhyNothing() const {
    if (unreadable_ || !commits_.empty())
      return Say(Code::kBadInput, "is damaged or cut: it has no snapshot that can be read");
    return Say(Code::kNothingYet,
               "has no snapshot yet: the program ended before the first one was complete, or has "
               "just begun");
  }

  // Learns where everything is, as of this commit.
  Status ReadExtents(const RawCommit& commit, RawSpace* space) {
    while (space->file_bytes() < std::min(commit.file_bytes, size_)) {
      RawExtentWords words{};
      const Result<size_t> read =
          file_.ReadAt(space->file_bytes(), reinterpret_cast<uint8_t*>(words.data()),
                       words.size() * sizeof words[0]);
      if (!read.ok()) return Say(Code::kIo, read.status().message());
      const auto extent = DecodeRawExtent(words);
      if (!extent) break;
      space->Add(*extent);
    }
    return {};
  }

  // Reads bytes of the file; zeros after its end. Returns how many of them there are.
  Result<size_t> ReadPiece(uint64_t offset, uint8_t* into, uint64_t bytes) {
    size_t done = 0;
    while (done < bytes) {
      const Result<size_t> read = file_.ReadAt(offset + done, into + done, bytes - done);
      if (!read.ok()) return Say(Code::kIo, read.status().message());
      if (*read == 0) break;
      done += *read;
    }
    return done;
  }

  // The first `bytes` of a copy of an array, as far as the file has them.
  Result<std::vector<uint64_t>> ReadWords(const RawSpace& space, RawArray array, size_t copy,
                                          uint64_t bytes) {
    std::vector<uint64_t> words;
    Status status;
    space.ForEachPiece(
        array, copy, 0, RawPagesOf(bytes), [&](uint64_t offset, uint64_t first, uint64_t pages) {
          if (offset >= size_) return true;
          const uint64_t there = std::min(RawPagesOf(size_ - offset), pages) * kRawPageBytes;
          words.resize((first * kRawPageBytes + there) / sizeof(uint64_t));
          auto* const into = reinterpret_cast<uint8_t*>(words.data()) + first * kRawPageBytes;
          status = ReadPiece(offset, into, there).status();
          return status.ok();
        });
    if (!status.ok()) return status;
    return words;
  }

  // False if there is nothing that can be trusted.
  Result<bool> Load(size_t copy, const RawCommit& commit, RawContents* contents) {
    RawSpace space(kMostRawBytes);
    if (Status status = ReadExtents(commit, &space); !status.ok()) return status;
    Result<std::vector<uint64_t>> hashes =
        ReadWords(space, RawArray::kHashes, copy, commit.array_bytes.back());
    if (!hashes.ok()) return hashes.status();
    const size_t count = commit.array_bytes.back() / sizeof(uint64_t);
    if (hashes->size() < count) return false;
    hashes->resize(count);
    if (RawHashOf(BytesOf(*hashes)) != commit.hash) return false;
    size_t at = 0;
    std::array<std::vector<uint64_t>, kRawHashedArrays> arrays;
    std::array<RawRanges, kRawHashedArrays> damaged;
    for (size_t a = 0; a < arrays.size(); ++a) {
      const uint64_t bytes = commit.array_bytes[a];
      Result<std::vector<uint64_t>> words = ReadWords(space, static_cast<RawArray>(a), copy, bytes);
      if (!words.ok()) return words.status();
      contents->damaged_pages += Check(bytes, WordsOf(*hashes), &at, &*words, &damaged[a]);
      arrays[a] = std::move(*words);
    }
    contents->header = header_;
    contents->generation = commit.generation;
    contents->run = commit.run;
    contents->time_ns = commit.time_ns;
    contents->at_rest = commit.at_rest;
    contents->losses = commit.losses;
    contents->counters = std::move(arrays[static_cast<size_t>(RawArray::kCounters)]);
    contents->damaged_counters = std::move(damaged[static_cast<size_t>(RawArray::kCounters)]);
    if (Status status = LoadLog(space, commit, contents); !status.ok()) return status;
    const RawLogRead read =
        ReadRawRecords(*contents->log,
                       {.pairs = arrays[static_cast<size_t>(RawArray::kPairs)],
                        .stacks = arrays[static_cast<size_t>(RawArray::kStacks)],
                        .damaged_pairs = damaged[static_cast<size_t>(RawArray::kPairs)],
                        .counters = contents->counters.size()},
                       contents);
    const std::vector<uint64_t>& tail = arrays[static_cast<size_t>(RawArray::kTail)];
    const bool is_tail_read = ReadRawTail(BytesOf(tail), contents);
    if (!is_tail_read) ++contents->damaged_records;
    if (!is_tail_read || !damaged[static_cast<size_t>(RawArray::kTail)].empty())
      contents->at_rest = false;
    LoadHarvest(arrays[static_cast<size_t>(RawArray::kHarvest)],
                commit.array_bytes[static_cast<size_t>(RawArray::kHarvest)],
                !damaged[static_cast<size_t>(RawArray::kHarvest)].empty(), contents);
    // Otherwise a class that is gone may seem to own another one's counters.
    return read.unloaded == commit.unloaded;
  }

  // A harvest that is not whole is none.
  static void LoadHarvest(const std::vector<uint64_t>& words, uint64_t size, bool is_damaged,
                          RawContents* contents) {
    const std::span<const uint8_t> bytes = BytesOf(words);
    if (is_damaged || size == 0) return;
    if (size > bytes.size() || !ReadRawHarvest(bytes.first(size))) {
      ++contents->damaged_records;
      return;
    }
    contents->harvest.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
  }

  // Sets the pages without their hash to zero, adds them to *ranges, and returns how many there are. `at` is the
  // number of the array's first hash.
  static uint64_t Check(uint64_t bytes, std::span<const uint64_t> hashes, size_t* at,
                        std::vector<uint64_t>* words, RawRanges* ranges) {
    static const std::vector<uint64_t> zeros(kRawPageWords);
    static const uint64_t zero_hash = RawHashOf(BytesOf(zeros));
    uint64_t damaged = 0;
    const uint64_t pages = RawPagesOf(bytes);
    for (uint64_t page = 0; page < pages; ++page) {
      const size_t first = page * kRawPageWords;
      const size_t number = (*at)++;
      const bool is_there = first < words->size();
      const uint64_t hash =
          is_there ? RawHashOf(BytesOf(WordsOf(*words).subspan(first, kRawPageWords))) : zero_hash;
      if (number < hashes.size() && hashes[number] == hash) continue;
      ++damaged;
      if (!ranges->empty() && ranges->back().second == first) {
        ranges->back().second += kRawPageWords;
      } else {
        ranges->emplace_back(first, first + kRawPageWords);
      }
      if (is_there) std::fill_n(words->begin() + static_cast<ptrdiff_t>(first), kRawPageWords, 0);
    }
    return damaged;
  }

  // Reads the part of the log that belongs to the commit, as far as it is there.
  Status LoadLog(const RawSpace& space, const RawCommit& commit, RawContents* contents) {
    uint64_t there = 0;  // without gaps
    space.ForEachLogPiece(0, commit.log_bytes, [&](uint64_t offset, uint64_t at, uint64_t bytes) {
      if (offset >= size_) return false;
      there = at + std::min(bytes, size_ - offset);
      return there == at + bytes;
    });
    std::vector<uint8_t> log(there);
    Status status;
    space.ForEachLogPiece(0, there, [&](uint64_t offset, uint64_t at, uint64_t bytes) {
      status = ReadPiece(offset, log.data() + at, bytes).status();
      return status.ok();
    });
    if (there < commit.log_bytes) ++contents->damaged_records;
    contents->log = std::make_shared<const std::vector<uint8_t>>(std::move(log));
    return status;
  }

  static uint64_t DamageOf(const RawContents& contents) {
    return contents.damaged_pages + contents.damaged_records;
  }

  RawBytes& file_;
  const std::string name_;
  RawHeader header_;
  uint64_t size_ = 0;
  std::optional<RawCommitWords> unreadable_;  // a commit that cannot be decoded
  std::vector<std::pair<size_t, RawCommit>> commits_;
};

}  // namespace

Result<uint64_t> RawFdBytes::Size() {
  const off_t size = lseek(fd_, 0, SEEK_END);
  if (size < 0) return Status(Code::kIo, std::string("cannot read: ") + std::strerror(errno));
  return static_cast<uint64_t>(size);
}

Result<size_t> RawFdBytes::ReadAt(uint64_t offset, uint8_t* into, size_t size) {
  while (true) {
    const ssize_t count = pread(fd_, into, size, static_cast<off_t>(offset));
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR)
      return Status(Code::kIo, std::string("cannot read: ") + std::strerror(errno));
  }
}

Result<size_t> RawMemoryBytes::ReadAt(uint64_t offset, uint8_t* into, size_t size) {
  if (offset >= bytes_.size()) return size_t{0};
  const auto there = bytes_.subspan(offset);
  const size_t count = std::min(size, there.size());
  std::copy_n(there.begin(), count, into);
  return count;
}

Result<RawContents> ReadRaw(RawBytes& file, const std::string& name) {
  return FileReading(file, name).Run();
}

RunId ReadRawRun(RawBytes& file) { return FileReading(file, "").NewestRun(); }

}  // namespace iprof
