#include "writer/records/raw/raw_format.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace iprof {
namespace {

RawHeader Example() {
  return {.agent_version = "1.2.3",
          .assembly = {.calls = false, .branches = true, .monitors = true, .max_lost = 0.25},
          .target_jdk = 25,
          .image = false,
          .harvests = true,
          .format = FormatVersion::k1_1_0};
}

Status WhyRefused(const std::vector<uint8_t>& page) { return DecodeRawHeader(page).status(); }

TEST_CASE("a header reads back as it was written, and takes one page") {
  const std::vector<uint8_t> page = EncodeRawHeader(Example());
  CHECK(page.size() == kRawPageBytes);
  CHECK(BeginsRawFile(page));
  const Result<RawHeader> read = DecodeRawHeader(page);
  REQUIRE(read.ok());
  CHECK(*read == Example());
}

TEST_CASE("each reason to refuse a header has its own message") {
  std::vector<uint8_t> page = EncodeRawHeader(Example());
  SECTION("another file") {
    page[0] = '{';
    CHECK(WhyRefused(page).code() == Code::kBadInput);
    CHECK(WhyRefused(page).message() == "is not a raw file of iprofagent");
  }
  SECTION("the other byte order") {
    std::reverse(page.begin() + 8, page.begin() + 12);
    CHECK(WhyRefused(page).code() == Code::kUnsupported);
    CHECK(WhyRefused(page).message().find("byte order") != std::string::npos);
  }
  SECTION("another version") {
    page[12] = 9;
    CHECK(WhyRefused(page).code() == Code::kUnsupported);
    CHECK(WhyRefused(page).message().find("version 9 of the raw format") != std::string::npos);
  }
  SECTION("empty") {
    CHECK(WhyRefused({}).code() == Code::kNothingYet);
    CHECK(WhyRefused({}).message().find("is empty") != std::string::npos);
  }
  SECTION("cut") {
    page.resize(100);
    CHECK(WhyRefused(page).code() == Code::kBadInput);
    CHECK(WhyRefused(page).message().find("is cut") != std::string::npos);
  }
  SECTION("any other bit") {
    for (const size_t at : std::initializer_list<size_t>{8, 16, 23, 24, 40, 4095}) {
      std::vector<uint8_t> damaged = page;
      damaged[at] ^= 0x10;
      CHECK(WhyRefused(damaged).code() == Code::kBadInput);
      CHECK(WhyRefused(damaged).message().find("damaged header") != std::string::npos);
    }
  }
}

TEST_CASE("a long version of the agent is cut") {
  RawHeader header = Example();
  header.agent_version = std::string(10'000, 'v');
  const Result<RawHeader> read = DecodeRawHeader(EncodeRawHeader(header));
  REQUIRE(read.ok());
  CHECK(read->agent_version == std::string(256, 'v'));
}

TEST_CASE("commits and extents read back as they were written; any changed bit is seen") {
  const RawCommit commit{.generation = 7,
                         .run = {0x1234, UINT64_MAX},
                         .time_ns = 123,
                         .at_rest = true,
                         .file_bytes = 1 << 20,
                         .log_bytes = 77,
                         .unloaded = 3,
                         .array_bytes = {1, 2, 3, 4, 5, 6},
                         .hash = 99,
                         .losses = {.classes = 1,
                                    .unloaded = 2,
                                    .counters = 3,
                                    .pairs = 4,
                                    .types = 5,
                                    .stacks = 6,
                                    .parts = 7,
                                    .harvest = 8}};
  const RawCommitWords words = EncodeRawCommit(commit);
  CHECK(DecodeRawCommit(words) == commit);
  for (size_t bit = 0; bit < words.size() * 64; ++bit) {
    RawCommitWords damaged = words;
    damaged[bit / 64] ^= uint64_t{1} << (bit % 64);
    REQUIRE_FALSE(DecodeRawCommit(damaged));
  }
  CHECK_FALSE(DecodeRawCommit({}));
  for (const RawExtent& extent : {RawExtent{{}, 4}, RawExtent{RawArray::kTail, 9}}) {
    const RawExtentWords encoded = EncodeRawExtent(extent);
    CHECK(DecodeRawExtent(encoded) == extent);
    for (size_t bit = 0; bit < encoded.size() * 64; ++bit) {
      RawExtentWords damaged = encoded;
      damaged[bit / 64] ^= uint64_t{1} << (bit % 64);
      REQUIRE_FALSE(DecodeRawExtent(damaged));
    }
  }
  CHECK_FALSE(DecodeRawExtent({}));
}

TEST_CASE("numbers that make no sense are refused, even with the right hash") {
  CHECK_FALSE(DecodeRawExtent(EncodeRawExtent({{}, 0})));
  CHECK_FALSE(DecodeRawExtent(EncodeRawExtent({{}, uint64_t{1} << 40})));
  RawCommit commit{.generation = 1, .file_bytes = 8192, .losses = {}};
  CHECK(DecodeRawCommit(EncodeRawCommit(commit)));
  commit.array_bytes[2] = 8193;
  CHECK_FALSE(DecodeRawCommit(EncodeRawCommit(commit)));
  commit.array_bytes[2] = 0;
  commit.log_bytes = 8193;
  CHECK_FALSE(DecodeRawCommit(EncodeRawCommit(commit)));
  commit.log_bytes = 0;
  commit.file_bytes = kMostRawBytes + 1;
  CHECK_FALSE(DecodeRawCommit(EncodeRawCommit(commit)));
}

}  // namespace
}  // namespace iprof
