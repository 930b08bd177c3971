#include "agent/hotspot/remote_jvm.h"

#include <optional>
#include <string>

#include "agent/hotspot/elf_image.h"

namespace iprof::hotspot {

Result<std::unique_ptr<RemoteJvm>> RemoteJvm::Open(const Memory& memory,
                                                   std::span<const Address> bases) {
  if (bases.empty()) return Status{Code::kBadInput, "is not a JVM: no libjvm.so is loaded in it"};
  std::unique_ptr<RemoteJvm> jvm(new RemoteJvm(memory));
  Status last;
  for (const Address base : bases) {
    const Result<ElfImage> image = ElfImage::Read(jvm->cache_, base);
    if (!image.ok()) {
      last = {image.status().code(),
              "has a libjvm.so that cannot be read: " + image.status().message()};
      continue;
    }
    const auto find = [&](const char* name) { return image->Find(name); };
    if (!find("gHotSpotVMStructs")) {
      last = {Code::kUnsupported, kNoTables};
      continue;
    }
    jvm->structs_ = std::make_unique<VmStructs>(jvm->cache_, find);
    const Result<MetadataLayout> layout = MetadataLayout::Read(*jvm->structs_);
    if (!layout.ok()) return layout.status();
    jvm->layout_ = *layout;
    jvm->flags_ = std::make_unique<VmFlags>(*jvm->structs_);
    return jvm;
  }
  return last;
}

Address RemoteJvm::ArchiveHeader() const {
  const auto current = structs_->StaticField("FileMapInfo", "_current_info");
  const auto offset = structs_->OffsetOf("FileMapInfo", "_header");
  const auto info = current ? cache_.Load<Address>(*current) : std::nullopt;
  if (!offset || !info || *info == 0) return 0;
  return cache_.Load<Address>(*info + *offset).value_or(0);
}

std::string RemoteJvm::StaticText(const char* type, const char* field) const {
  constexpr size_t kLongest = 1 << 16;
  const auto at = structs_->StaticField(type, field);
  const auto text = at ? cache_.Load<Address>(*at) : std::nullopt;
  return text ? cache_.Text(*text, kLongest).value_or(std::string()) : std::string();
}

}  // namespace iprof::hotspot
