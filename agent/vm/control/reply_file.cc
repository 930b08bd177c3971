#include "agent/vm/control/reply_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "writer/base/open_file.h"

namespace iprof::vm {
namespace {

Status Failed(const std::string& path, std::string_view what, int error) {
  return {Code::kIo, fmt::format("cannot {} '{}': {}", what, path, std::strerror(error))};
}

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Writes the part file, which is new, and gives it its name.
Status WriteIn(int folder, const std::string& path, const std::string& name,
               std::string_view text) {
  const std::string part = name + ".part";
  Result<OwnedFd> file =
      OpenFile(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FileKind::kRegular, 0600);
  if (!file.ok()) return errno == ENOENT ? Status() : Failed(path, "create", errno);
  const bool is_written = WriteAll(file->get(), text);
  int error = errno;
  file->Close();
  if (is_written) {
    // A link fails if the name exists; a rename would replace it.
    if (linkat(folder, part.c_str(), folder, name.c_str(), 0) == 0) {
      unlinkat(folder, part.c_str(), 0);
      return {};
    }
    error = errno;
  }
  unlinkat(folder, part.c_str(), 0);
  return Failed(path, "write", error);
}

}  // namespace

Status WriteReply(const std::string& path, std::string_view text) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash + 1 == path.size() || path.front() != '/')
    return {Code::kUsage, fmt::format("'{}' is not the absolute name of a file", path)};
  const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
  const Result<OwnedFd> folder = OpenFile(parent, O_RDONLY | O_NOFOLLOW, FileKind::kFolder);
  if (!folder.ok()) return errno == ENOENT ? Status() : Failed(parent, "open", errno);
  struct stat found {};
  if (fstat(folder->get(), &found) != 0) return Failed(parent, "examine", errno);
  if (found.st_uid != geteuid() || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return {Code::kUsage, fmt::format("'{}' is not a private folder of this user", parent)};
  return WriteIn(folder->get(), path, path.substr(slash + 1), text);
}

}  // namespace iprof::vm
