#include "writer/base/sealed_bytes.h"

#include <catch2/catch.hpp>

#include "writer/base/varint.h"

using namespace iprof;

namespace {

constexpr uint8_t kVersion = 7;

std::vector<uint8_t> Example() {
  std::vector<uint8_t> body{kVersion};
  PutVarint(300, &body);
  PutVarint(UINT64_MAX, &body);
  PutFixed64(0x1122334455667788, &body);
  PutText("a/B", &body);
  std::vector<uint8_t> out;
  AppendSealed(body, &out);
  return out;
}

}  // namespace

TEST_CASE("what was sealed is read") {
  const auto bytes = Example();
  const Sealed sealed = OpenSealed(bytes, kVersion);
  REQUIRE(sealed.status == SealStatus::kRecord);
  CHECK(sealed.consumed == bytes.size());
  BoundedReader in(sealed.body);
  CHECK(in.Get() == 300);
  CHECK(in.Get64() == UINT64_MAX);
  CHECK(in.GetFixed64() == 0x1122334455667788);
  CHECK(in.GetText() == "a/B");
  CHECK(in.ok());
  CHECK(in.at_end());
}

TEST_CASE("no record, a truncated one, damage and other versions are distinguished") {
  const auto bytes = Example();
  CHECK(OpenSealed({}, kVersion).status == SealStatus::kEnd);
  for (size_t length = 1; length < bytes.size(); ++length) {
    CHECK(OpenSealed(std::span(bytes).first(length), kVersion).status == SealStatus::kTruncated);
  }
  for (size_t at = 1; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] ^= 1;
    const Sealed sealed = OpenSealed(damaged, kVersion);
    CHECK(sealed.status == SealStatus::kDamaged);
    CHECK(sealed.consumed == bytes.size());
  }
  const Sealed newer = OpenSealed(bytes, kVersion - 1);
  CHECK(newer.status == SealStatus::kNewVersion);
  CHECK(newer.consumed == bytes.size());
}

TEST_CASE("a reader never leaves its input") {
  const std::vector<uint8_t> number_too_large(11, 0xff);
  BoundedReader large(number_too_large);
  CHECK(large.Get64() == 0);
  CHECK_FALSE(large.ok());

  const std::vector<uint8_t> five_bytes{0xff, 0xff, 0xff, 0xff, 0x1f};
  BoundedReader wide(five_bytes);
  CHECK(wide.Get() == 0);  // more than 32 bits
  CHECK_FALSE(wide.ok());

  const std::vector<uint8_t> text{5, 'a', 'b'};
  BoundedReader cut(text);
  CHECK(cut.GetText().empty());
  CHECK_FALSE(cut.ok());
  CHECK(cut.GetFixed64() == 0);
  CHECK(cut.GetBytes().empty());
}
