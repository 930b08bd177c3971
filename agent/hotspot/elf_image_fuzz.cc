// ElfImage and the list of mappings must survive any bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/hotspot/elf_image.h"
#include "agent/hotspot/process_libraries.h"

namespace {

using iprof::hotspot::Address;

constexpr Address kBase = 0x10000;

// Memory with the fuzzer's bytes at kBase.
class BytesMemory final : public iprof::hotspot::Memory {
 public:
  BytesMemory(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool Read(Address from, void* into, size_t size) const override {
    if (from < kBase || from - kBase > size_ || size > size_ - (from - kBase)) return false;
    std::copy_n(data_ + (from - kBase), size, static_cast<uint8_t*>(into));
    return true;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const BytesMemory memory(data, size);
  const auto image = iprof::hotspot::ElfImage::Read(memory, kBase);
  if (image.ok()) {
    for (const char* name : {"gHotSpotVMStructs", "qsort", ""}) {
      const auto at = image->Find(name);
      if (at && *at < kBase) std::abort();
    }
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(iprof::hotspot::BasesOf("libjvm.so", text));
  return 0;
}
