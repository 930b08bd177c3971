#include "agent/hotspot/core/archive_identity.h"

#include <algorithm>
#include <string_view>

namespace iprof::hotspot {
namespace {

constexpr uint32_t kBaseMagic = 0xf00baba2;
constexpr uint32_t kDynamicMagic = 0xf00baba8;
constexpr size_t kHeaderBytes = 4096;   // the build is in the first 700 of JDK 17 to 25
constexpr size_t kMostBuildText = 247;  // a longer one ends with a hash there

bool HasBuild(const Memory& file, std::string_view build) {
  std::array<char, kHeaderBytes> header;
  if (build.empty() || !file.Read(0, header.data(), header.size())) return false;
  const std::string_view wanted = build.substr(0, kMostBuildText);
  return std::string_view(header.data(), header.size()).find(wanted) != std::string_view::npos;
}

}  // namespace

bool IsArchive(const Memory& file) {
  const uint32_t magic = file.Load<uint32_t>(0).value_or(0);
  return magic == kBaseMagic || magic == kDynamicMagic;
}

std::string DifferenceOfArchive(const Memory& file, const ArchiveOwner& owner) {
  if (!IsArchive(file)) return {};
  if (!HasBuild(file, owner.build)) return "was made by another build of the JDK";
  const auto head = file.Load<ArchiveHead>(0);
  if (head->magic == kBaseMagic && owner.base && *head != *owner.base)
    return "is another archive than the one that was mapped";
  return {};
}

}  // namespace iprof::hotspot
