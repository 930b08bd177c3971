#include "writer/base/sealed_bytes.h"

#include "writer/base/varint.h"

namespace iprof {
namespace {

constexpr size_t kChecksumBytes = 4;

uint32_t Checksum(std::span<const uint8_t> bytes) {
  uint32_t hash = 2166136261u;
  for (uint8_t b : bytes) hash = (hash ^ b) * 16777619u;
  return hash;
}

}  // namespace

Sealed OpenSealed(std::span<const uint8_t> bytes, uint8_t version) {
  if (bytes.empty()) return {};
  BoundedReader header(bytes);
  const uint32_t length = header.Get();
  if (!header.ok()) {
    return {header.at_end() ? SealStatus::kTruncated : SealStatus::kDamaged, 0, {}};
  }
  const size_t begin = header.position();
  if (bytes.size() - begin < uint64_t{length} + kChecksumBytes) {
    return {SealStatus::kTruncated, 0, {}};
  }
  const size_t consumed = begin + length + kChecksumBytes;
  const auto body = bytes.subspan(begin, length);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < kChecksumBytes; ++i) {
    sum |= uint32_t{bytes[begin + length + i]} << (8 * i);
  }
  if (length == 0 || Checksum(body) != sum) return {SealStatus::kDamaged, consumed, {}};
  if (body[0] != version) return {SealStatus::kNewVersion, consumed, {}};
  return {SealStatus::kRecord, consumed, body.subspan(1)};
}

void AppendSealed(std::span<const uint8_t> body, std::vector<uint8_t>* out) {
  PutBytes(body, out);
  const uint32_t sum = Checksum(body);
  for (uint32_t shift = 0; shift < 32; shift += 8) {
    out->push_back(static_cast<uint8_t>(sum >> shift));
  }
}

uint64_t BoundedReader::GetWithin(uint64_t most) {
  uint64_t value = 0;
  for (uint32_t shift = 0; shift < 64; shift += 7) {
    if (!ok_ || at_ == bytes_.size()) return Fail();
    const uint8_t byte = bytes_[at_++];
    const uint64_t bits = byte & 0x7fu;
    if (bits > (UINT64_MAX >> shift)) return Fail();
    value |= bits << shift;
    if (value > most) return Fail();
    if (byte < 0x80) return value;
  }
  return Fail();
}

uint32_t BoundedReader::GetBelow(uint64_t limit) {
  const uint32_t value = Get();
  return value < limit ? value : Fail();
}

uint32_t BoundedReader::GetCount(size_t bytes_each) {
  const uint32_t count = Get();
  return count <= (bytes_.size() - at_) / bytes_each ? count : Fail();
}

uint64_t BoundedReader::GetFixed64() {
  constexpr size_t kBytes = sizeof(uint64_t);
  if (!ok_ || bytes_.size() - at_ < kBytes) return Fail();
  uint64_t value = 0;
  for (size_t i = 0; i < kBytes; ++i) value |= uint64_t{bytes_[at_ + i]} << (8 * i);
  at_ += kBytes;
  return value;
}

std::span<const uint8_t> BoundedReader::GetBytes() {
  const uint32_t length = GetCount(1);
  const auto taken = bytes_.subspan(at_, length);
  at_ += length;
  return taken;
}

std::string_view BoundedReader::GetText() {
  const auto bytes = GetBytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void PutFixed64(uint64_t value, std::vector<uint8_t>* out) {
  for (uint32_t shift = 0; shift < 64; shift += 8) {
    out->push_back(static_cast<uint8_t>(value >> shift));
  }
}

void PutBytes(std::span<const uint8_t> bytes, std::vector<uint8_t>* out) {
  PutVarint(bytes.size(), out);
  out->insert(out->end(), bytes.begin(), bytes.end());
}

void PutText(std::string_view text, std::vector<uint8_t>* out) {
  PutBytes({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, out);
}

}  // namespace iprof
