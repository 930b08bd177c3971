#include "cli/classpath/class_element.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "cli/classpath/class_path.h"

namespace iprof::classpath {
namespace {

constexpr std::string_view kVersions = "META-INF/versions/";

// The versions that the archive's folder has and this JVM uses, the newest first.
std::vector<int> VersionsIn(const ZipFile& archive, const std::string& folder, int release) {
  constexpr int kFirstVersion = 9;
  const std::string start = fmt::format("{}{}", folder, kVersions);
  std::vector<int> versions;
  for (const ZipFile::Entry& entry : archive.entries()) {
    if (!entry.name.starts_with(start)) continue;
    const std::string_view rest = entry.name.substr(start.size());
    int version = 0;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), version);
    if (parsed.ec != std::errc() || parsed.ptr == rest.data() + rest.size() || *parsed.ptr != '/') {
      continue;
    }
    if (version < kFirstVersion || version > release) continue;
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
      versions.push_back(version);
    }
  }
  std::sort(versions.rbegin(), versions.rend());
  return versions;
}

}  // namespace

Result<std::optional<Bytes>> FolderElement::Find(std::string_view internal_name) const {
  const std::string path = fmt::format("{}/{}.class", place(), internal_name);
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return std::optional<Bytes>();
  const auto file = ByteFile::Open(path);
  if (!file.ok()) return file.status();
  if (file->size() > kMostClassBytes) {
    return Status(Code::kLimit, fmt::format("{} is too large for a class file", path));
  }
  auto bytes = file->Read(0, file->size());
  if (!bytes.ok()) return bytes.status();
  return std::optional<Bytes>(std::move(*bytes));
}

ArchiveElement::ArchiveElement(std::shared_ptr<const ZipFile> archive, std::string folder,
                               const Manifest& manifest, int release)
    : ClassElement(archive->name()), archive_(std::move(archive)), folder_(std::move(folder)) {
  if (manifest.is_multi_release) versions_ = VersionsIn(*archive_, folder_, release);
}

Result<std::optional<Bytes>> ArchiveElement::Find(std::string_view internal_name) const {
  const auto entry_of = [&]() -> const ZipFile::Entry* {
    for (const int version : versions_) {
      const auto* const entry = archive_->Find(
          fmt::format("{}{}{}/{}.class", folder_, kVersions, version, internal_name));
      if (entry != nullptr) return entry;
    }
    return archive_->Find(fmt::format("{}{}.class", folder_, internal_name));
  };
  const ZipFile::Entry* const entry = entry_of();
  if (entry == nullptr) return std::optional<Bytes>();
  auto bytes = archive_->Read(*entry, kMostClassBytes);
  if (!bytes.ok()) return bytes.status();
  return std::optional<Bytes>(std::move(*bytes));
}

Result<std::optional<Bytes>> JdkElement::Find(std::string_view internal_name) const {
  return image_.FindClass(internal_name, kMostClassBytes);
}

}  // namespace iprof::classpath
