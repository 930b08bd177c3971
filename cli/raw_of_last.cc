#include "cli/raw_of_last.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>

#include "cli/jvm/borrowed_ids.h"
#include "cli/jvm/process.h"
#include "writer/base/open_file.h"
#include "writer/control/command.h"
#include "writer/raw/raw_format.h"

namespace iprof::cli {
namespace {

std::string ReadLink(int folder, const char* name) {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = readlinkat(folder, name, path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<size_t>(size)) : std::string();
}

bool IsRawFileOf(uid_t user, int folder, const char* name) {
  const Result<OwnedFd> file = OpenWithin(folder, name, O_RDONLY | O_NOFOLLOW, FileKind::kRegular);
  struct stat found {};
  if (!file.ok() || fstat(file->get(), &found) != 0 || found.st_uid != user) return false;
  std::array<uint8_t, kRawMagic.size()> first{};
  const ssize_t count = pread(file->get(), first.data(), first.size(), 0);
  return count > 0 && BeginsRawFile({first.data(), static_cast<size_t>(count)});
}

}  // namespace

std::optional<std::string> RemoveRawOfLast(const jvm::JvmTarget& target,
                                           const jvm::PrivateFolder& folder) {
  const jvm::BorrowedIds ids(target.status);
  const std::string path = ReadLink(folder.fd(), control::kRawOfLast);
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return std::nullopt;  // there is no link
  if (!ids.status().ok()) return path;
  const Result<OwnedFd> place =
      OpenWithin(target.root.get(), path.substr(0, slash + 1), O_PATH, FileKind::kFolder);
  const std::string name = path.substr(slash + 1);
  const bool is_removed = place.ok() &&
                          IsRawFileOf(target.status.uid, place->get(), name.c_str()) &&
                          unlinkat(place->get(), name.c_str(), 0) == 0;
  return is_removed ? std::nullopt : std::optional(path);
}

}  // namespace iprof::cli
