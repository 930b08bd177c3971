#include "writer/records/method_record.h"

#include <catch2/catch.hpp>
#include <random>

namespace iprof {
namespace {

// A loop's method: entry and one loop edge counted, the loop's end derived; one intrinsic call.
MethodRecord Example() {
  MethodRecord r;
  r.klass = 4711;
  r.method = 40'000;
  r.counter_base = 70'000;
  r.derivation.counter_count = 3;
  r.entry = 3;
  r.derivation.operands = {Operand::Plus(0), Operand::Minus(1)};
  r.derivation.step_end = {2};
  r.certificate.kind = Exactness::kBounded;
  r.certificate.live_frames_matter = true;
  r.certificate.abrupt = {2};
  r.certificate.disturbed = {3};
  r.branches = {{11, BranchKind::kIf, 2}, {30, BranchKind::kSwitch, 5}};
  r.successors = {{53, 3}, {14, 1}, {60, 1}, {70, kNoValue}, {60, 2}};
  r.calls = {{17, 9, 1}};
  return r;
}

std::vector<uint8_t> Encode(const MethodRecord& record) {
  std::vector<uint8_t> bytes;
  EncodeMethodRecord(record, &bytes);
  return bytes;
}

MethodRecord RandomRecord(std::mt19937& random) {
  auto below = [&](uint32_t n) {
    return std::uniform_int_distribution<uint32_t>(0, n - 1)(random);
  };
  MethodRecord r;
  r.klass = below(UINT32_MAX);
  r.method = below(UINT32_MAX);
  r.context = below(3);
  r.counter_base = below(1u << 30);
  r.derivation.counter_count = 1 + below(200);
  for (uint32_t s = below(20); s > 0; --s) {
    for (uint32_t o = below(5); o > 0; --o) {
      const uint32_t v = below(r.derivation.value_count());
      r.derivation.operands.push_back(below(2) == 0 ? Operand::Plus(v) : Operand::Minus(v));
    }
    r.derivation.step_end.push_back(static_cast<uint32_t>(r.derivation.operands.size()));
  }
  const uint32_t values = r.derivation.value_count();
  r.entry = below(values);
  r.certificate.kind = static_cast<Exactness>(below(3));
  r.certificate.live_frames_matter = below(2) == 0;
  for (uint32_t i = below(4); i > 0; --i) r.certificate.abrupt.push_back(below(values));
  for (uint32_t i = below(4); i > 0; --i) r.certificate.thrown.push_back(below(values));
  for (uint32_t i = below(4); i > 0; --i) r.certificate.disturbed.push_back(below(values));
  uint32_t bci = 0;
  for (uint32_t i = below(10); i > 0; --i) {
    bci += below(6000);
    const bool is_if = below(2) == 0;
    for (uint32_t n = is_if ? 2 : below(20); n > 0; --n) {
      r.successors.push_back({below(65'535), below(9) == 0 ? kNoValue : below(values)});
    }
    r.branches.push_back({bci, is_if ? BranchKind::kIf : BranchKind::kSwitch,
                          static_cast<uint32_t>(r.successors.size())});
  }
  bci = 0;
  for (uint32_t i = below(10); i > 0; --i) {
    bci += below(6000);
    r.calls.push_back({bci, below(UINT32_MAX), below(values)});
  }
  return r;
}

TEST_CASE("records decode to what was encoded, one after the other") {
  std::mt19937 random(5);
  std::vector<MethodRecord> records = {Example()};
  std::vector<uint8_t> bytes = Encode(Example());
  for (int i = 0; i < 5000; ++i) {
    records.push_back(RandomRecord(random));
    EncodeMethodRecord(records.back(), &bytes);
  }
  std::span<const uint8_t> rest(bytes);
  MethodRecord got;
  size_t consumed = 0;
  for (const MethodRecord& want : records) {
    REQUIRE(DecodeMethodRecord(rest, &got, &consumed) == MethodRecordStatus::kRecord);
    REQUIRE(got == want);
    REQUIRE(IsWellFormed(got.derivation));
    rest = rest.subspan(consumed);
  }
  REQUIRE(DecodeMethodRecord(rest, &got, &consumed) == MethodRecordStatus::kEnd);
  REQUIRE(consumed == 0);
}

TEST_CASE("a record takes tens of bytes") {
  REQUIRE(Encode(Example()).size() <= 60);
  MethodRecord plain;
  plain.klass = 5000;
  plain.method = 42'000;
  plain.counter_base = 100'000;
  plain.derivation.counter_count = 1;
  REQUIRE(Encode(plain).size() <= 24);
}

TEST_CASE("every truncation is seen as one") {
  const std::vector<uint8_t> bytes = Encode(Example());
  MethodRecord record;
  size_t consumed = 0;
  for (size_t n = 1; n < bytes.size(); ++n) {
    CAPTURE(n);
    REQUIRE(DecodeMethodRecord(std::span(bytes).first(n), &record, &consumed) ==
            MethodRecordStatus::kTruncated);
    REQUIRE(consumed == 0);
  }
}

TEST_CASE("no changed bit goes unnoticed, and the next record can be found") {
  const std::vector<uint8_t> clean = Encode(Example());
  MethodRecord record;
  size_t consumed = 0;
  for (size_t bit = 0; bit < clean.size() * 8; ++bit) {
    std::vector<uint8_t> bytes = clean;
    bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
    CAPTURE(bit);
    const MethodRecordStatus status = DecodeMethodRecord(bytes, &record, &consumed);
    REQUIRE(status != MethodRecordStatus::kRecord);
    REQUIRE(consumed <= bytes.size());
    if (bit >= 8) {  // the length is whole
      REQUIRE(status == MethodRecordStatus::kDamaged);
      REQUIRE(consumed == bytes.size());
    }
  }
}

// A body with a valid checksum, so that the decoder judges its contents.
std::vector<uint8_t> Seal(std::vector<uint8_t> body) {
  uint32_t hash = 2166136261u;
  for (uint8_t b : body) hash = (hash ^ b) * 16777619u;
  std::vector<uint8_t> bytes = {static_cast<uint8_t>(body.size())};
  bytes.insert(bytes.end(), body.begin(), body.end());
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(hash >> (8 * i)));
  return bytes;
}

MethodRecordStatus Judge(std::vector<uint8_t> body) {
  MethodRecord record;
  size_t consumed = 0;
  return DecodeMethodRecord(Seal(std::move(body)), &record, &consumed);
}

TEST_CASE("contents out of range are refused although the checksum holds") {
  //    version, class, method, context, base | counters, steps, entry | flags, abrupt, thrown,
  //    disturbed | sites
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}) == MethodRecordStatus::kRecord);
  REQUIRE(Judge({4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}) == MethodRecordStatus::kNewVersion);
  // No counter at all.
  REQUIRE(Judge({3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) == MethodRecordStatus::kDamaged);
  // A step that reads itself: value 1 while only value 0 exists.
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0}) == MethodRecordStatus::kDamaged);
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}) == MethodRecordStatus::kRecord);
  // More steps than bytes.
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0xff, 0x7f, 0, 0, 0, 0, 0, 0}) == MethodRecordStatus::kDamaged);
  // An unknown certificate.
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 0, 6, 0, 0, 0, 0, 0}) == MethodRecordStatus::kDamaged);
  // A certificate, a branch, a call that name value 1.
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 0, 2, 1, 1, 0, 0, 0, 0}) == MethodRecordStatus::kDamaged);
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 1, 0, 0}) == MethodRecordStatus::kDamaged);
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0, 0}) == MethodRecordStatus::kRecord);
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 3, 0, 9, 1, 8, 2, 0}) ==
          MethodRecordStatus::kDamaged);
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 3, 0, 9, 1, 8, 0, 0}) ==
          MethodRecordStatus::kRecord);
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 3, 5, 2}) ==
          MethodRecordStatus::kDamaged);
  // An entry that is no value.
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0}) == MethodRecordStatus::kDamaged);
  // Trailing bytes.
  REQUIRE(Judge({3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}) == MethodRecordStatus::kDamaged);
}

}  // namespace
}  // namespace iprof
