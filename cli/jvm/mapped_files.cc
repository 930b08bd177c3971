#include "cli/jvm/mapped_files.h"

#include <algorithm>

namespace iprof::jvm {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::string_view kLineFeed = "\\012";  // how the kernel writes one in a path

// The sixth column of a line "start-end access offset device inode   path"; empty without a file.
std::string_view PathOf(std::string_view line) {
  for (int column = 0; column < 5; ++column) {
    const size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return {};
    line.remove_prefix(blank);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  }
  return line.starts_with('/') ? line : std::string_view();
}

std::string WithLineFeeds(std::string_view path) {
  std::string out;
  for (size_t at = path.find(kLineFeed); at != std::string_view::npos; at = path.find(kLineFeed)) {
    out.append(path.substr(0, at)).push_back('\n');
    path.remove_prefix(at + kLineFeed.size());
  }
  return out.append(path);
}

}  // namespace

std::string_view MappedFile::name() const {
  const std::string_view whole = path;
  return whole.substr(whole.rfind('/') + 1);
}

std::vector<MappedFile> MappedFiles(std::string_view maps) {
  std::vector<MappedFile> files;
  std::string_view last;
  while (!maps.empty()) {
    const size_t end = maps.find('\n');
    std::string_view path = PathOf(maps.substr(0, end));
    maps.remove_prefix(end == std::string_view::npos ? maps.size() : end + 1);
    if (path.empty() || path == last) continue;
    last = path;
    MappedFile file;
    file.deleted = path.ends_with(kDeleted);
    if (file.deleted) path.remove_suffix(kDeleted.size());
    file.path = WithLineFeeds(path);
    const bool is_known = std::any_of(files.begin(), files.end(), [&](const MappedFile& other) {
      return other.path == file.path && other.deleted == file.deleted;
    });
    if (!is_known) files.push_back(std::move(file));
  }
  return files;
}

const MappedFile* FindNamed(const std::vector<MappedFile>& files, std::string_view name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const MappedFile& file) { return file.name() == name; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace iprof::jvm
