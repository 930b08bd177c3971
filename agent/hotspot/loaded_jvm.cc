#include "agent/hotspot/loaded_jvm.h"

#include <dlfcn.h>

#include <cstdint>

namespace iprof::hotspot {
namespace {

std::optional<ElfImage> ImageHolding(const Memory& memory, const void* inside) {
  Dl_info info;
  if (dladdr(inside, &info) == 0 || info.dli_fbase == nullptr) return std::nullopt;
  Result<ElfImage> image =
      ElfImage::Read(memory, static_cast<Address>(reinterpret_cast<uintptr_t>(info.dli_fbase)));
  if (!image.ok()) return std::nullopt;
  return *image;
}

}  // namespace

LoadedJvm::LoadedJvm(const void* inside)
    : image_(ImageHolding(memory_, inside)), structs_(memory_, [this](const char* name) {
        return image_ ? image_->Find(name) : std::nullopt;
      }) {}

void* LoadedJvm::Symbol(const char* name) const {
  const auto at = image_ ? image_->Find(name) : std::nullopt;
  return at ? reinterpret_cast<void*>(static_cast<uintptr_t>(*at)) : nullptr;
}

}  // namespace iprof::hotspot
