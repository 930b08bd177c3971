#include "agent/harvest/recorded_image.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "agent/hotspot/bytes_memory.h"

namespace iprof::hotspot {
namespace {

constexpr Address kBase = 0x10000;

// Each byte differs from its neighbours.
BytesMemory ThreePages() {
  std::vector<uint8_t> bytes(3 * RecordedImage::kPageBytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 251);
  return BytesMemory(std::move(bytes), kBase);
}

TEST_CASE("an image reads as the memory did where it was read, and nowhere else") {
  const BytesMemory memory = ThreePages();
  RecordingMemory recording(memory);
  std::vector<uint8_t> before(100);
  // The end of the first page and the start of the second.
  REQUIRE(recording.Read(kBase + 4050, before.data(), before.size()));
  CHECK_FALSE(recording.Read(kBase - 10, before.data(), 20));
  recording.image().maps = "a list\nof two lines";

  std::stringstream file;
  recording.image().Save(file);
  const Result<RecordedImage> image = RecordedImage::From(file);
  REQUIRE(image.ok());
  CHECK(image->maps == "a list\nof two lines");
  CHECK(image->pages.size() == 2);
  std::vector<uint8_t> after(100);
  REQUIRE(image->Read(kBase + 4050, after.data(), after.size()));
  CHECK(after == before);
  CHECK(image->Load<uint64_t>(kBase) == memory.Load<uint64_t>(kBase));
  CHECK_FALSE(image->Load<uint64_t>(kBase + 2 * 4096 - 4).has_value());
  CHECK_FALSE(image->Load<uint64_t>(UINT64_MAX - 3).has_value());
}

TEST_CASE("a byte of an image can be changed") {
  const BytesMemory memory = ThreePages();
  RecordingMemory recording(memory);
  REQUIRE(recording.Load<uint8_t>(kBase + 5));
  RecordedImage& image = recording.image();
  REQUIRE(image.At(kBase + 5) != nullptr);
  *image.At(kBase + 5) ^= 0xFF;
  CHECK(image.Load<uint8_t>(kBase + 5) != memory.Load<uint8_t>(kBase + 5));
  CHECK(image.At(kBase + 4096) == nullptr);
}

TEST_CASE("what is not an image is refused") {
  for (const char* text : {"", "iprof image 1", "iprof image 2\n12345678",
                           "iprof image 1\n\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"}) {
    std::istringstream file{text};
    CHECK_FALSE(RecordedImage::From(file).ok());
  }
  const BytesMemory memory = ThreePages();
  RecordingMemory recording(memory);
  REQUIRE(recording.Load<uint8_t>(kBase));
  std::stringstream whole;
  recording.image().Save(whole);
  std::istringstream cut(whole.str().substr(0, whole.str().size() - 1));
  CHECK_FALSE(RecordedImage::From(cut).ok());
}

}  // namespace
}  // namespace iprof::hotspot
