#include "agent/harvest/image_mutator.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace iprof::hotspot {
namespace {

constexpr Address kPageBytes = RecordedImage::kPageBytes;
constexpr uint64_t kMostDoublings = 7;  // 128 changes
constexpr uint64_t kNear = 256;         // most structures are smaller

}  // namespace

ImageMutator::ImageMutator(RecordedImage& image) : image_(image) {
  for (const auto& [at, page] : image.pages) {
    pages_.push_back(at);
    for (Address offset = 0; offset < kPageBytes; offset += sizeof(Address)) {
      Address value = 0;
      std::memcpy(&value, page.data() + offset, sizeof value);
      if (image.pages.contains(value - value % kPageBytes)) pointers_.push_back(at + offset);
    }
  }
}

void ImageMutator::Apply(uint64_t number) {
  random_.seed(number);
  const uint64_t changes = uint64_t{1} << Below(kMostDoublings + 1);
  for (uint64_t i = 0; i < changes; ++i) ChangeOnce();
}

void ImageMutator::Undo() {
  for (const auto& [at, page] : before_) image_.pages[at] = page;
  before_.clear();
}

void ImageMutator::ChangeOnce() {
  const uint64_t random_word = random_();
  const Address word = AnyPage() + Below(kPageBytes / 8) * 8;
  switch (Below(8)) {
    case 0:
      return Put(word + Below(8), &random_word, 1);
    case 1:
      return Put(word, &random_word, 1 + Below(8));
    case 2: {
      const uint64_t number = ExtremeNumber();
      return Put(word, &number, 1 + Below(8));
    }
    case 3: {
      const Address page = AnyPage();
      if (const auto found = image_.pages.find(page); found != image_.pages.end()) {
        before_.emplace(page, found->second);
        image_.pages.erase(found);
      }
      return;
    }
    case 4: {  // to where another one leads
      const Address to = image_.Load<Address>(AnyPointer()).value_or(0) + Below(4) * 8;
      return Put(AnyPointer(), &to, sizeof to);
    }
    case 5: {  // to itself, or to where another one is
      const Address pointer = AnyPointer();
      const Address to = (Below(2) == 0 ? pointer : AnyPointer()) - Below(kNear / 8) * 8;
      return Put(pointer, &to, sizeof to);
    }
    case 6: {
      const uint64_t number = ExtremeNumber();
      return Put(AnyPointer(), &number, sizeof number);
    }
    default: {
      const uint64_t number = ExtremeNumber();
      return Put(NearTarget(AnyPointer()), &number, size_t{2} << Below(3));
    }
  }
}

// What is behind the end of the page is left as it is.
void ImageMutator::Put(Address at, const void* bytes, size_t size) {
  const Address page = at - at % kPageBytes;
  const auto found = image_.pages.find(page);
  if (found == image_.pages.end()) return;
  before_.emplace(page, found->second);
  std::memcpy(found->second.data() + at % kPageBytes, bytes,
              std::min<size_t>(size, kPageBytes - at % kPageBytes));
}

uint64_t ImageMutator::ExtremeNumber() {
  constexpr std::array<uint64_t, 12> kNumbers = {
      0,         1,         255,         0x7FFF,      0xFFFF,
      0x7F'FFF8, 0x80'0000, 0x7FFF'FFFF, 0xFFFF'FFFF, uint64_t{1} << 62,
      INT64_MAX, UINT64_MAX};
  return kNumbers[Below(kNumbers.size())];
}

Address ImageMutator::NearTarget(Address pointer) {
  return image_.Load<Address>(pointer).value_or(0) + Below(kNear / 2) * 2;
}

}  // namespace iprof::hotspot
