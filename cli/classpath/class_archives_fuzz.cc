// Archives and images of JDKs are read safely with any bytes. The first byte chooses the
// reader.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cli/classpath/image_resource.h"
#include "cli/classpath/jdk_image.h"
#include "cli/classpath/manifest.h"
#include "cli/classpath/zip_file.h"

namespace {

using namespace iprof::classpath;

constexpr uint64_t kMost = 1 << 16;

void Require(bool holds) {
  if (!holds) std::abort();
}

void TryZip(Bytes bytes) {
  const size_t given = bytes.size();
  const auto zip = ZipFile::Open(ByteFile::Of(std::move(bytes), "fuzz.jar"));
  if (!zip.ok()) return Require(!zip.status().message().empty());
  Require(zip->entries().size() <= given / 46);
  size_t left = 20;
  for (const ZipFile::Entry& entry : zip->entries()) {
    if (left-- == 0) break;
    Require(zip->Find(entry.name) != nullptr);
    const auto read = zip->Read(entry, kMost);
    if (read.ok()) Require(read->size() == entry.size && read->size() <= kMost);
    const auto file = zip->OpenEntry(entry, kMost);
    if (file.ok()) Require(file->size() <= given * 1032);
  }
}

void TryImage(Bytes bytes) {
  const auto image = JdkImage::Open(ByteFile::Of(std::move(bytes), "modules"));
  if (!image.ok()) return Require(!image.status().message().empty());
  for (const char* const name : {"java/lang/Object", "a/A", "a/B"}) {
    const auto found = image->FindClass(name, kMost);
    if (found.ok() && *found) Require((*found)->size() <= kMost);
  }
}

// The first half of the bytes are the strings of an image, the rest is a resource.
void TryResource(Bytes bytes) {
  const auto half = bytes.begin() + static_cast<ptrdiff_t>(bytes.size() / 2);
  Bytes strings(bytes.begin(), half);
  strings.push_back(0);
  const auto unpacked = UnpackResource({half, bytes.end()}, strings, kMost);
  if (unpacked.ok()) Require(unpacked->size() <= std::max<uint64_t>(kMost, bytes.size()));
}

void TryManifest(std::string_view text) {
  for (const std::string& url : ParseManifest(text).class_path) {
    Require(PathOfManifestEntry("lib", url).find('\0') == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Bytes bytes(data + 1, data + size);
  switch (data[0] % 4) {
    case 0:
      TryZip(std::move(bytes));
      break;
    case 1:
      TryImage(std::move(bytes));
      break;
    case 2:
      TryResource(std::move(bytes));
      break;
    default:
      TryManifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      break;
  }
  return 0;
}
