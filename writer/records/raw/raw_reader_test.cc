#include "writer/records/raw/raw_reader.h"

#include <fcntl.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "writer/records/raw/raw_profile.h"
#include "writer/records/raw/test_program.h"

namespace iprof {
namespace {

// The bytes of a file with some generations, and what they mean.
struct Example {
  std::vector<uint8_t> bytes;
  std::string last;
  std::string before;
};

Example MakeExample(uint32_t seed, int periods) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("iprof_raw_reader_" + std::to_string(getpid()) + ".iraw"))
                               .string();
  LoadingProgram program(seed);
  const auto writer = RawWriter::Create([&](int) { return path; }, LoadingProgram::Header(), {});
  REQUIRE(writer.ok());
  Example made;
  for (int period = 0; period < periods; ++period) {
    program.Step();
    REQUIRE(program.Publish(**writer).status.ok());
    made.before = std::exchange(made.last, program.TruthText());
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  made.bytes.assign(text.begin(), text.end());
  (*writer)->Remove();
  return made;
}

Result<RawContents> Read(const std::vector<uint8_t>& bytes) {
  RawMemoryBytes file(bytes);
  return ReadRaw(file, "a.iraw");
}

TEST_CASE("a raw file says when it was made, and by whom") {
  const Example example = MakeExample(1, 3);
  const Result<RawContents> contents = Read(example.bytes);
  REQUIRE(contents.ok());
  CHECK(contents->header == LoadingProgram::Header());
  CHECK(contents->generation == 3);
  CHECK(contents->time_ns == LoadingProgram::kStartNs + 3);
  CHECK(contents->run == LoadingProgram(1).run());
  RawMemoryBytes file(example.bytes);
  CHECK(ReadRawRun(file) == contents->run);
  CHECK_FALSE(ReadRawRun(*std::make_unique<RawMemoryBytes>(std::span<const uint8_t>())).is_known());
  CHECK_FALSE(contents->at_rest);
  CHECK_FALSE(contents->newer_is_damaged);
  CHECK(contents->parts.at("sampling").starts_with("{\"signals\":"));
}

TEST_CASE("a snapshot whose commit is damaged gives way to the one before") {
  Example example = MakeExample(2, 5);
  // Any byte of generation 5's, also those of its number and its time.
  for (const size_t at : {0U, 8U, 9U, 16U, 20U, 40U, 250U}) {
    std::vector<uint8_t> bytes = example.bytes;
    bytes[RawCommitPlace(1) + at] ^= 1;
    const Result<RawContents> contents = Read(bytes);
    REQUIRE(contents.ok());
    CHECK(contents->generation == 4);
    CHECK(contents->newer_is_damaged);
    const RawProfile made = MakeRawProfile(*contents);
    CHECK(TextOf(made.profile) == example.before);
    CHECK(made.note.newer_damaged == 1);
    CHECK(made.note.HasLosses());
  }
}

TEST_CASE("a commit that was being written when the process was killed is noted, too") {
  // Generation 5 over generation 3: some bytes of the one, and the rest of the other.
  const Example before = MakeExample(2, 4);
  const Example after = MakeExample(2, 5);
  for (const size_t written : {16U, 64U, 248U}) {
    std::vector<uint8_t> bytes = after.bytes;
    const auto at = static_cast<ptrdiff_t>(RawCommitPlace(1) + written);
    const auto end = static_cast<ptrdiff_t>(RawCommitPlace(2));
    std::copy(before.bytes.begin() + at, before.bytes.begin() + end, bytes.begin() + at);
    const Result<RawContents> contents = Read(bytes);
    REQUIRE(contents.ok());
    CHECK(contents->generation == 4);
    CHECK(contents->newer_is_damaged);
  }
}

TEST_CASE("a newer snapshot whose pages are damaged is noted") {
  Example example = MakeExample(2, 5);
  const Result<RawContents> whole = Read(example.bytes);
  REQUIRE(whole.ok());
  // The pages of copy 0 make generation 4, and those of copy 1 generation 5.
  size_t noted = 0;
  for (size_t page = 3; page < example.bytes.size() / kRawPageBytes; ++page) {
    std::vector<uint8_t> bytes = example.bytes;
    bytes[page * kRawPageBytes] ^= 1;
    const Result<RawContents> contents = Read(bytes);
    if (!contents.ok()) continue;
    CHECK(contents->newer_is_damaged == (contents->generation == 4));
    if (contents->newer_is_damaged) ++noted;
  }
  CHECK(noted > 0);
}

TEST_CASE("damage of the snapshot before is of no interest") {
  Example example = MakeExample(2, 5);
  example.bytes[RawCommitPlace(0) + 40] ^= 1;  // generation 4
  const Result<RawContents> contents = Read(example.bytes);
  REQUIRE(contents.ok());
  CHECK(contents->generation == 5);
  CHECK_FALSE(contents->newer_is_damaged);
}

TEST_CASE("errors of reading are reported, with the name") {
  class Broken final : public RawBytes {
    Result<uint64_t> Size() override { return uint64_t{100'000}; }
    Result<size_t> ReadAt(uint64_t, uint8_t*, size_t) override {
      return Status(Code::kIo, "cannot read: Input/output error");
    }
  };
  Broken broken;
  const Result<RawContents> contents = ReadRaw(broken, "a.iraw");
  CHECK(contents.status().code() == Code::kIo);
  CHECK(contents.status().message() == "a.iraw: cannot read: Input/output error");
}

TEST_CASE("a file that no writer makes so large is refused") {
  class Huge final : public RawBytes {
    Result<uint64_t> Size() override { return kMostRawBytes + 1; }
    Result<size_t> ReadAt(uint64_t, uint8_t*, size_t) override { return size_t{0}; }
  };
  Huge huge;
  CHECK(ReadRaw(huge, "a.iraw").status().code() == Code::kLimit);
}

// The file as a running program writes it: between any two reads, snapshots may pass.
class Growing final : public RawBytes {
 public:
  Growing(RawBytes& file, std::function<void()> between)
      : file_(file), between_(std::move(between)) {}
  Result<uint64_t> Size() override { return file_.Size(); }
  Result<size_t> ReadAt(uint64_t offset, uint8_t* into, size_t size) override {
    between_();
    return file_.ReadAt(offset, into, size);
  }

 private:
  RawBytes& file_;
  const std::function<void()> between_;
};

TEST_CASE("a file that is still being written gives one of its snapshots") {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("iprof_raw_growing_" + std::to_string(getpid()) + ".iraw"))
                               .string();
  std::mt19937 random(5);
  for (uint32_t seed = 0; seed < 8; ++seed) {
    LoadingProgram program(seed);
    const auto writer = RawWriter::Create([&](int) { return path; }, LoadingProgram::Header(), {});
    REQUIRE(writer.ok());
    std::map<uint64_t, std::string> truths;
    const auto publish = [&] {
      program.Step();
      const RawPublication done = program.Publish(**writer);
      REQUIRE(done.status.ok());
      truths[done.generation] = program.TruthText();
    };
    publish();
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    RawFdBytes file(fd);
    // Far more snapshots than in any real period.
    Growing growing(file, [&] {
      if (random() % 9 == 0) publish();
    });
    const Result<RawContents> contents = ReadRaw(growing, path);
    if (!contents.ok()) FAIL(contents.status().message());
    CHECK(contents->damaged_pages + contents->damaged_records == 0);
    CHECK(TextOf(MakeRawProfile(*contents).profile) == truths.at(contents->generation));
    ::close(fd);
    (*writer)->Remove();
  }
}

TEST_CASE("damaged bytes never go unnoticed") {
  const Example example = MakeExample(3, 6);
  std::mt19937 random(6);
  size_t noticed = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<uint8_t> bytes = example.bytes;
    for (size_t changes = 1 + random() % 3; changes > 0; --changes)
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1 + random() % 255);
    const Result<RawContents> contents = Read(bytes);
    if (!contents.ok()) {
      ++noticed;
      continue;
    }
    const RawProfile made = MakeRawProfile(*contents);
    const std::string text = TextOf(made.profile);
    if (text == example.last) continue;
    ++noticed;
    REQUIRE(made.note.damaged_records + made.note.newer_damaged > 0);
  }
  CHECK(noticed > 0);
}

}  // namespace
}  // namespace iprof
