#include "agent/hotspot/harvest/recorded_image.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>
#include <vector>

namespace iprof::hotspot {
namespace {

// Three pages from 0x10000 on; each byte differs from its neighbours.
class ThreePages final : public Memory {
 public:
  static constexpr Address kBase = 0x10000;
  ThreePages() : bytes_(3 * RecordedImage::kPageBytes) {
    for (size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<uint8_t>(i * 7 + i / 251);
  }
  bool Read(Address from, void* into, size_t size) const override {
    if (from < kBase || from - kBase > bytes_.size() || size > bytes_.size() - (from - kBase))
      return false;
    std::memcpy(into, bytes_.data() + (from - kBase), size);
    return true;
  }

 private:
  std::vector<uint8_t> bytes_;
};

constexpr Address kBase = ThreePages::kBase;

TEST_CASE("an image reads as the memory did where it was read, and nowhere else") {
  const ThreePages memory;
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
  const ThreePages memory;
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
  const ThreePages memory;
  RecordingMemory recording(memory);
  REQUIRE(recording.Load<uint8_t>(kBase));
  std::stringstream whole;
  recording.image().Save(whole);
  std::istringstream cut(whole.str().substr(0, whole.str().size() - 1));
  CHECK_FALSE(RecordedImage::From(cut).ok());
}

}  // namespace
}  // namespace iprof::hotspot
