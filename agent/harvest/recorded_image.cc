#include "agent/harvest/recorded_image.h"

#include <algorithm>
#include <cstring>
#include <istream>
#include <ostream>
#include <string_view>
#include <utility>

namespace iprof::hotspot {
namespace {

constexpr std::string_view kMagic = "iprof image 1\n";
constexpr uint64_t kMostMapsBytes = 64 << 20;

bool Take(std::istream& in, void* into, size_t size) {
  return static_cast<bool>(in.read(static_cast<char*>(into), static_cast<std::streamsize>(size)));
}

void Put(std::ostream& out, const void* from, size_t size) {
  out.write(static_cast<const char*>(from), static_cast<std::streamsize>(size));
}

Status NotAnImage() { return {Code::kBadInput, "is not the recorded image of a process"}; }

}  // namespace

Result<RecordedImage> RecordedImage::From(std::istream& in) {
  std::string magic(kMagic.size(), '\0');
  uint64_t size = 0;
  if (!Take(in, magic.data(), magic.size()) || magic != kMagic || !Take(in, &size, sizeof size) ||
      size > kMostMapsBytes)
    return NotAnImage();
  RecordedImage image;
  image.maps.resize(size);
  if (!Take(in, image.maps.data(), size)) return NotAnImage();
  Address at = 0;
  while (Take(in, &at, sizeof at)) {
    if (at % kPageBytes != 0 || !Take(in, image.pages[at].data(), kPageBytes)) return NotAnImage();
  }
  return image;
}

void RecordedImage::Save(std::ostream& out) const {
  const uint64_t size = maps.size();
  Put(out, kMagic.data(), kMagic.size());
  Put(out, &size, sizeof size);
  Put(out, maps.data(), maps.size());
  for (const auto& [at, page] : pages) {
    Put(out, &at, sizeof at);
    Put(out, page.data(), page.size());
  }
}

bool RecordedImage::Read(Address from, void* into, size_t size) const {
  if (from > UINT64_MAX - size) return false;
  auto* to = static_cast<uint8_t*>(into);
  while (size > 0) {
    const Address offset = from % kPageBytes;
    const auto page = pages.find(from - offset);
    if (page == pages.end()) return false;
    const size_t part = std::min<size_t>(size, kPageBytes - offset);
    std::memcpy(to, page->second.data() + offset, part);
    to += part;
    from += part;
    size -= part;
  }
  return true;
}

uint8_t* RecordedImage::At(Address at) {
  const auto page = pages.find(at - at % kPageBytes);
  return page == pages.end() ? nullptr : page->second.data() + at % kPageBytes;
}

bool RecordingMemory::Read(Address from, void* into, size_t size) const {
  if (!memory_.Read(from, into, size)) return false;
  if (size == 0) return true;
  constexpr Address kBytes = RecordedImage::kPageBytes;
  for (Address page = from - from % kBytes; page < from + size; page += kBytes) {
    if (image_.pages.contains(page)) continue;
    RecordedImage::Page bytes;
    if (memory_.Read(page, bytes.data(), bytes.size())) image_.pages.emplace(page, bytes);
  }
  return true;
}

}  // namespace iprof::hotspot
