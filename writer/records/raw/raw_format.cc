#include "writer/records/raw/raw_format.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "writer/base/murmur3.h"
#include "writer/base/sealed_bytes.h"
#include "writer/base/varint.h"

namespace iprof {
namespace {

// Written in the machine's byte order, at these offsets of the header.
constexpr uint32_t kOrderMark = 0x01020304;
constexpr uint32_t kOtherOrder = 0x04030201;
constexpr size_t kOrderAt = kRawMagic.size();
constexpr size_t kVersionAt = kOrderAt + sizeof kOrderMark;
constexpr size_t kHashAt = kVersionAt + sizeof kRawVersion;
constexpr size_t kBodyAt = kHashAt + sizeof(uint64_t);

constexpr size_t kMostVersionText = 256;

constexpr uint64_t kExtentMark = 0x6e65747865776172;  // "rawexten"
constexpr uint64_t kCommitMark = 0x696d6d6f63776172;  // "rawcommi"

constexpr uint64_t kFlagAtRest = 1;
constexpr size_t kFirstArrayWord = 10;  // of a commit

enum HeaderFlag : uint32_t {
  kCalls = 1,
  kBranches = 2,
  kMonitors = 4,
  kImage = 8,
  kHarvests = 16,
  kNamesAllCallees = 32,
  kCallEdges = 64,
  kFlagsEnd = 128,
};

template <typename Number>
Number NumberAt(std::span<const uint8_t> bytes, size_t at) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

template <typename Number>
void PutNumberAt(Number number, size_t at, std::vector<uint8_t>* out) {
  std::memcpy(out->data() + at, &number, sizeof number);
}

template <size_t Words>
uint64_t HashOfWords(const std::array<uint64_t, Words>& words) {
  // All but the last, which is the hash.
  return RawHashOf({reinterpret_cast<const uint8_t*>(words.data()), (Words - 1) * sizeof words[0]});
}

constexpr uint64_t RawLosses::*kLosses[] = {
    &RawLosses::classes, &RawLosses::unloaded, &RawLosses::counters, &RawLosses::pairs,
    &RawLosses::types,   &RawLosses::stacks,   &RawLosses::parts,    &RawLosses::harvest};

bool GetHeader(BoundedReader* in, RawHeader* header) {
  const std::string_view version = in->GetText();
  const uint32_t flags = in->GetBelow(kFlagsEnd);
  const double max_lost = std::bit_cast<double>(in->GetFixed64());
  header->target_jdk = static_cast<int>(in->GetBelow(INT32_MAX));
  header->format = static_cast<FormatVersion>(in->GetBelow(kFormatVersions.size()));
  if (!in->ok() || version.size() > kMostVersionText || !(max_lost >= 0 && max_lost <= 1))
    return false;
  header->agent_version = version;
  header->assembly = {.calls = (flags & kCalls) != 0,
                      .branches = (flags & kBranches) != 0,
                      .monitors = (flags & kMonitors) != 0,
                      .names_all_callees = (flags & kNamesAllCallees) != 0,
                      .call_edges = (flags & kCallEdges) != 0,
                      .max_lost = max_lost};
  header->image = (flags & kImage) != 0;
  header->harvests = (flags & kHarvests) != 0;
  return true;
}

}  // namespace

bool BeginsRawFile(std::span<const uint8_t> bytes) {
  return bytes.size() >= kRawMagic.size() &&
         std::equal(kRawMagic.begin(), kRawMagic.end(), bytes.begin());
}

bool RawLosses::any() const {
  return std::any_of(std::begin(kLosses), std::end(kLosses),
                     [&](uint64_t RawLosses::*loss) { return this->*loss != 0; });
}

uint64_t RawHashOf(std::span<const uint8_t> bytes) { return Murmur3(bytes).low; }

uint64_t RawPageHash(std::span<const uint8_t> bytes) {
  if (bytes.size() >= kRawPageBytes) return RawHashOf(bytes.first(kRawPageBytes));
  std::array<uint8_t, kRawPageBytes> page{};
  std::copy(bytes.begin(), bytes.end(), page.begin());
  return RawHashOf(page);
}

std::vector<uint8_t> EncodeRawHeader(const RawHeader& header) {
  std::vector<uint8_t> page(kBodyAt);
  std::copy(kRawMagic.begin(), kRawMagic.end(), page.begin());
  PutNumberAt(kOrderMark, kOrderAt, &page);
  PutNumberAt(kRawVersion, kVersionAt, &page);
  PutText(std::string_view(header.agent_version).substr(0, kMostVersionText), &page);
  uint32_t flags = 0;
  if (header.assembly.calls) flags |= kCalls;
  if (header.assembly.branches) flags |= kBranches;
  if (header.assembly.monitors) flags |= kMonitors;
  if (header.image) flags |= kImage;
  if (header.harvests) flags |= kHarvests;
  if (header.assembly.names_all_callees) flags |= kNamesAllCallees;
  if (header.assembly.call_edges) flags |= kCallEdges;
  PutVarint(flags, &page);
  PutFixed64(std::bit_cast<uint64_t>(header.assembly.max_lost), &page);
  PutVarint(static_cast<uint64_t>(std::max(header.target_jdk, 0)), &page);
  PutVarint(static_cast<uint64_t>(header.format), &page);
  page.resize(kRawPageBytes);
  PutNumberAt(RawHashOf(std::span<const uint8_t>(page).subspan(kBodyAt)), kHashAt, &page);
  return page;
}

Result<RawHeader> DecodeRawHeader(std::span<const uint8_t> page) {
  if (page.empty())
    return Status(Code::kNothingYet, "is empty: the program has just begun, or ended at once");
  const Status is_cut(Code::kBadInput, "is cut within its header, so nothing can be recovered");
  if (std::equal(
          page.begin(), page.end(), kRawMagic.begin(),
          kRawMagic.begin() + static_cast<ptrdiff_t>(std::min(page.size(), kRawMagic.size()))))
    return is_cut;
  if (!BeginsRawFile(page)) return Status(Code::kBadInput, "is not a raw file of iprofagent");
  if (page.size() < kBodyAt) return is_cut;
  const auto order = NumberAt<uint32_t>(page, kOrderAt);
  if (order == kOtherOrder) {
    return Status(Code::kUnsupported,
                  "was written on a machine with another byte order; recover it on such a machine");
  }
  const Status damaged(Code::kBadInput, "has a damaged header, so nothing can be recovered");
  if (order != kOrderMark) return damaged;
  const auto version = NumberAt<uint32_t>(page, kVersionAt);
  if (version != kRawVersion) {
    return Status(Code::kUnsupported,
                  "has version " + std::to_string(version) +
                      " of the raw format; this tool reads " + std::to_string(kRawVersion) +
                      ": use the iprof of the release whose agent wrote the file");
  }
  if (page.size() < kRawPageBytes) return is_cut;
  const auto body = page.subspan(kBodyAt, kRawPageBytes - kBodyAt);
  RawHeader header;
  BoundedReader in(body);
  if (NumberAt<uint64_t>(page, kHashAt) != RawHashOf(body) || !GetHeader(&in, &header))
    return damaged;
  return header;
}

RawExtentWords EncodeRawExtent(const RawExtent& extent) {
  RawExtentWords words = {kExtentMark, extent.array ? 1 + static_cast<uint64_t>(*extent.array) : 0,
                          extent.pages, 0};
  words.back() = HashOfWords(words);
  return words;
}

std::optional<RawExtent> DecodeRawExtent(const RawExtentWords& words) {
  if (words[0] != kExtentMark || words.back() != HashOfWords(words)) return std::nullopt;
  if (words[1] > kRawArrays || words[2] == 0 || words[2] > kMostRawBytes / kRawPageBytes)
    return std::nullopt;
  RawExtent extent{.array = {}, .pages = words[2]};
  if (words[1] > 0) extent.array = static_cast<RawArray>(words[1] - 1);
  return extent;
}

RawCommitWords EncodeRawCommit(const RawCommit& commit) {
  RawCommitWords words = {kCommitMark,
                          commit.generation,
                          static_cast<uint64_t>(commit.time_ns),
                          commit.at_rest ? kFlagAtRest : 0,
                          commit.file_bytes,
                          commit.log_bytes,
                          commit.unloaded,
                          commit.hash,
                          commit.run.high,
                          commit.run.low};
  size_t at = kFirstArrayWord;
  for (const uint64_t bytes : commit.array_bytes) words[at++] = bytes;
  for (const auto loss : kLosses) words[at++] = commit.losses.*loss;
  words.back() = HashOfWords(words);
  return words;
}

std::optional<RawCommit> DecodeRawCommit(const RawCommitWords& words) {
  if (words[0] != kCommitMark || words.back() != HashOfWords(words)) return std::nullopt;
  RawCommit commit{.generation = words[1],
                   .run = {words[8], words[9]},
                   .time_ns = static_cast<int64_t>(words[2]),
                   .at_rest = (words[3] & kFlagAtRest) != 0,
                   .file_bytes = words[4],
                   .log_bytes = words[5],
                   .unloaded = words[6],
                   .hash = words[7],
                   .losses = {}};
  size_t at = kFirstArrayWord;
  for (uint64_t& bytes : commit.array_bytes) bytes = words[at++];
  for (const auto loss : kLosses) commit.losses.*loss = words[at++];
  const bool plausible = commit.generation > 0 && commit.file_bytes <= kMostRawBytes &&
                         commit.log_bytes <= commit.file_bytes &&
                         std::all_of(commit.array_bytes.begin(), commit.array_bytes.end(),
                                     [&](uint64_t bytes) { return bytes <= commit.file_bytes; });
  if (!plausible) return std::nullopt;
  return commit;
}

bool SeemsToPrecede(const RawCommitWords& damaged, const RawCommit& commit) {
  return damaged[1] > 0 && damaged[1] + 1 == commit.generation &&
         static_cast<int64_t>(damaged[2]) <= commit.time_ns;
}

}  // namespace iprof
