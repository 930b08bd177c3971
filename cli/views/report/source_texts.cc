#include "cli/views/report/source_texts.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/classpath/byte_file.h"
#include "writer/base/utf8.h"

namespace iprof::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMavenFolder = "src/main/java/";

// Whether a path of a package and a file has only plain names in it.
bool IsSafe(std::string_view path) {
  while (true) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos)
      return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

// "a/b/Cart.java" of a class in a.b; empty if that is no path below a folder.
std::string PathIn(std::string_view internal_name, std::string_view file) {
  const size_t slash = internal_name.rfind('/');
  std::string path(internal_name.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  path += file;
  return file.find('/') != std::string_view::npos || !IsSafe(path) ? std::string() : path;
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(NormalizeUtf8(line));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// "", Maven's folder, and both below each first-level folder.
std::vector<std::string> PrefixesOf(const std::set<std::string>& first_folders) {
  std::vector<std::string> prefixes = {"", std::string(kMavenFolder)};
  for (const std::string& folder : first_folders) {
    prefixes.push_back(folder + "/");
    prefixes.push_back(folder + "/" + std::string(kMavenFolder));
  }
  return prefixes;
}

}  // namespace

Status SourceTexts::Add(const std::string& path) {
  std::set<std::string> first_folders;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      std::error_code ignored;
      if (at->is_directory(ignored)) first_folders.insert(at->path().filename().string());
    }
    if (error) return Status(Code::kIo, "cannot read the folder " + path + ": " + error.message());
    places_.push_back({path + "/", std::nullopt, PrefixesOf(first_folders)});
    return {};
  }
  Result<classpath::ByteFile> file = classpath::ByteFile::Open(path);
  if (!file.ok()) return file.status();
  Result<classpath::ZipFile> archive = classpath::ZipFile::Open(std::move(*file));
  if (!archive.ok()) return archive.status();
  for (const classpath::ZipFile::Entry& entry : archive->entries()) {
    const size_t slash = entry.name.find('/');
    if (slash != std::string_view::npos) first_folders.emplace(entry.name.substr(0, slash));
  }
  places_.push_back({"", std::move(*archive), PrefixesOf(first_folders)});
  return {};
}

std::optional<std::string> SourceTexts::Read(const std::string& path) const {
  for (const Place& place : places_) {
    for (const std::string& prefix : place.prefixes) {
      if (place.archive) {
        const classpath::ZipFile::Entry* const entry = place.archive->Find(prefix + path);
        if (entry == nullptr) continue;
        const Result<classpath::Bytes> bytes = place.archive->Read(*entry, kMostSourceBytes);
        if (bytes.ok()) return std::string(bytes->begin(), bytes->end());
        continue;
      }
      std::error_code error;
      const std::string name = fmt::format("{}{}{}", place.folder, prefix, path);
      if (!fs::is_regular_file(name, error)) continue;
      const Result<classpath::ByteFile> file = classpath::ByteFile::Open(name);
      if (!file.ok() || file->size() > kMostSourceBytes) continue;
      const Result<classpath::Bytes> bytes = file->Read(0, file->size());
      if (bytes.ok()) return std::string(bytes->begin(), bytes->end());
    }
  }
  return std::nullopt;
}

const std::vector<std::string>* SourceTexts::Find(std::string_view internal_name,
                                                  std::string_view file) const {
  const std::string path = PathIn(internal_name, file);
  if (path.empty()) return nullptr;
  const auto [at, is_new] = read_.try_emplace(path);
  if (is_new) {
    if (const auto text = Read(path)) at->second = SplitLines(*text);
  }
  return at->second.empty() ? nullptr : &at->second;
}

std::optional<std::string> SourceTexts::PathOf(std::string_view internal_name,
                                               std::string_view file) const {
  const std::string path = PathIn(internal_name, file);
  if (path.empty()) return std::nullopt;
  for (const Place& place : places_) {
    if (place.archive) continue;
    for (const std::string& prefix : place.prefixes) {
      std::error_code error;
      std::string name = fmt::format("{}{}{}", place.folder, prefix, path);
      if (fs::is_regular_file(name, error)) return name;
    }
  }
  return std::nullopt;
}

}  // namespace iprof::report
