#include "agent/harvest/image_mutator.h"

#include <catch2/catch.hpp>
#include <cstring>

namespace iprof::hotspot {
namespace {

// Pages whose words point to other pages.
RecordedImage SomePages() {
  constexpr Address kFirst = 0x7F00'0000'0000;
  constexpr Address kPages = 16;
  RecordedImage image;
  for (Address p = 0; p < kPages; ++p) {
    RecordedImage::Page& page = image.pages[kFirst + p * RecordedImage::kPageBytes];
    for (Address at = 0; at < page.size(); at += sizeof(Address)) {
      const Address to = kFirst + (p * 7 + at) % kPages * RecordedImage::kPageBytes + at;
      std::memcpy(page.data() + at, &to, sizeof to);
    }
  }
  return image;
}

TEST_CASE("the same number makes the same changes, another one others, and all are undone") {
  const RecordedImage before = SomePages();
  RecordedImage image = before;
  ImageMutator mutator(image);
  int different = 0;
  int without_pages = 0;
  for (uint64_t number = 0; number < 200; ++number) {
    mutator.Apply(number);
    const auto once = image.pages;
    mutator.Undo();
    REQUIRE(image.pages == before.pages);
    mutator.Apply(number);
    CHECK(image.pages == once);
    mutator.Undo();
    mutator.Apply(number + 1);
    different += image.pages != once ? 1 : 0;
    without_pages += once.size() < before.pages.size() ? 1 : 0;
    mutator.Undo();
  }
  CHECK(different > 190);
  CHECK(without_pages > 50);
}

}  // namespace
}  // namespace iprof::hotspot
