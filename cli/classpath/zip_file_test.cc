#include "cli/classpath/zip_file.h"

#include <catch2/catch.hpp>

#include "cli/classpath/archive_builder.h"

using namespace iprof;
using namespace iprof::classpath;

namespace {

constexpr uint64_t kMost = 1 << 20;

const std::vector<TestEntry> kEntries{
    {"a/A.class", "the class A", false},
    {"a/B.class", std::string(5000, 'b') + "the class B", true},
    {"empty", "", false},
    {"empty but deflated", "", true},
};

ByteFile FileOf(Bytes bytes) { return ByteFile::Of(std::move(bytes), "test.jar"); }

std::string ReadText(const ZipFile& zip, std::string_view name) {
  const ZipFile::Entry* const entry = zip.Find(name);
  if (entry == nullptr) return "(none)";
  const auto bytes = zip.Read(*entry, kMost);
  return bytes.ok() ? ToText(*bytes) : bytes.status().message();
}

// Replaces the first place of a text behind `from` by another one of the same length.
Bytes Replaced(Bytes bytes, std::string_view text, std::string_view by, size_t from = 0) {
  const std::string all = ToText(bytes);
  const size_t at = all.find(text, from);
  REQUIRE(at != std::string::npos);
  std::copy(by.begin(), by.end(), bytes.begin() + static_cast<ptrdiff_t>(at));
  return bytes;
}

}  // namespace

TEST_CASE("Entries are read from archives of every form") {
  const bool is_zip64 = GENERATE(false, true);
  const std::string prefix = GENERATE("", "#!/bin/sh\nexec java -jar $0\n");
  const std::string comment =
      GENERATE("", "a comment", "with PK\5\6 inside, which starts no record");
  const auto zip = ZipFile::Open(FileOf(MakeArchive(kEntries, {is_zip64, prefix, comment})));
  INFO((zip.ok() ? "" : zip.status().message()));
  REQUIRE(zip.ok());
  CHECK(zip->entries().size() == kEntries.size());
  for (const TestEntry& entry : kEntries) CHECK(ReadText(*zip, entry.name) == entry.text);
  CHECK(zip->Find("a/C.class") == nullptr);
}

TEST_CASE("Of two entries with one name, the last one counts") {
  const auto zip = ZipFile::Open(FileOf(MakeArchive({{"x", "first"}, {"x", "second"}})));
  REQUIRE(zip.ok());
  CHECK(ReadText(*zip, "x") == "second");
}

TEST_CASE("An archive without entries is sound") {
  const auto zip = ZipFile::Open(FileOf(MakeArchive({})));
  REQUIRE(zip.ok());
  CHECK(zip->entries().empty());
}

TEST_CASE("An archive in an archive is a file, whether it is stored or deflated") {
  const std::string inner = ToText(MakeArchive(kEntries));
  const auto outer =
      ZipFile::Open(FileOf(MakeArchive({{"s.jar", inner, false}, {"d.jar", inner, true}})));
  REQUIRE(outer.ok());
  for (const char* const name : {"s.jar", "d.jar"}) {
    auto file = outer->OpenEntry(*outer->Find(name), kMost);
    REQUIRE(file.ok());
    CHECK(file->name() == std::string("test.jar!/") + name);
    const auto zip = ZipFile::Open(*file);
    REQUIRE(zip.ok());
    CHECK(ReadText(*zip, "a/B.class") == kEntries[1].text);
  }
}

TEST_CASE("What is wrong with an entry is said") {
  const Bytes sound = MakeArchive(kEntries);
  const auto text_of = [](Bytes bytes, std::string_view name) {
    const auto zip = ZipFile::Open(FileOf(std::move(bytes)));
    return zip.ok() ? ReadText(*zip, name) : zip.status().message();
  };
  SECTION("a wrong checksum") {
    CHECK(text_of(Replaced(sound, "the class A", "the class X"), "a/A.class") ==
          "test.jar: entry a/A.class: has a wrong checksum");
  }
  SECTION("damaged compression") {
    Bytes bytes = sound;
    const size_t name = ToText(bytes).find("a/B.class");
    bytes[name + 9] = 0xFF;
    CHECK(text_of(bytes, "a/B.class") == "test.jar: entry a/B.class: cannot be inflated");
  }
  SECTION("no header of its own") {
    CHECK(text_of(Replaced(sound, "PK\3\4", "PK\3\5"), "a/A.class") ==
          "test.jar: entry a/A.class: has no header of its own");
  }
  SECTION("another compression") {
    Bytes bytes = sound;
    bytes[ToText(bytes).find("PK\1\2") + 10] = 93;
    CHECK(text_of(bytes, "a/A.class") == "test.jar: entry a/A.class is compressed by method 93");
  }
  SECTION("encryption") {
    Bytes bytes = sound;
    bytes[ToText(bytes).find("PK\1\2") + 8] |= 1;
    CHECK(text_of(bytes, "a/A.class") == "test.jar: entry a/A.class: is encrypted");
  }
  SECTION("a size that no deflated bytes can have") {
    Bytes bytes = sound;
    const size_t second = ToText(bytes).find("PK\1\2", ToText(bytes).find("PK\1\2") + 1);
    bytes[second + 26] = 0x0F;  // about a million
    CHECK(text_of(bytes, "a/B.class") == "test.jar: entry a/B.class: cannot be inflated");
  }
  SECTION("no archive at all") {
    CHECK(text_of(ToBytes("hello"), "x") ==
          "test.jar is not a sound zip archive: it has no end record");
  }
}

TEST_CASE("An entry beyond the limit is not read") {
  const auto zip = ZipFile::Open(FileOf(MakeArchive(kEntries)));
  REQUIRE(zip.ok());
  const auto bytes = zip->Read(*zip->Find("a/B.class"), 100);
  REQUIRE(!bytes.ok());
  CHECK(bytes.status().code() == Code::kLimit);
  CHECK(bytes.status().message() == "test.jar: entry a/B.class is larger than 100 bytes");
}

// The checksums make sure that what is returned is right, even if the archive is damaged.
TEST_CASE("A damaged or shortened archive gives an error or the right bytes") {
  const Bytes sound =
      MakeArchive(kEntries, {.is_zip64 = GENERATE(false, true), .prefix = {}, .comment = {}});
  size_t opened = 0;
  size_t refused = 0;
  const auto try_bytes = [&](Bytes bytes) {
    const auto zip = ZipFile::Open(FileOf(std::move(bytes)));
    ++(zip.ok() ? opened : refused);
    if (!zip.ok()) return;
    for (const TestEntry& entry : kEntries) {
      const ZipFile::Entry* const found = zip->Find(entry.name);
      if (found == nullptr) continue;
      const auto read = zip->Read(*found, kMost);
      if (read.ok() && found->checksum != 0) CHECK(ToText(*read) == entry.text);
    }
  };
  for (size_t size = 0; size < sound.size(); ++size) {
    try_bytes({sound.begin(), sound.begin() + static_cast<ptrdiff_t>(size)});
  }
  CHECK(opened == 0);
  for (size_t at = 0; at < sound.size(); ++at) {
    for (const char value : {'\x00', '\x01', '\x7F', '\x80', '\xFF'}) {
      Bytes damaged = sound;
      damaged[at] = static_cast<uint8_t>(value);
      try_bytes(std::move(damaged));
    }
  }
  CHECK(opened > 0);
  CHECK(refused > sound.size());
}
