#include "agent/vm/control/reply_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "writer/base/system_calls.h"

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
  const int file =
      openat(folder, part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return errno == ENOENT ? Status() : Failed(path, "create", errno);
  const bool is_written = WriteAll(file, text);
  int error = errno;
  close(file);
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
  const int folder = open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 && errno == ENOENT) return {};
  if (folder < 0) return Failed(parent, "open", errno);
  struct stat found {};
  Status status;
  if (fstat(folder, &found) != 0) {
    status = Failed(parent, "examine", errno);
  } else if (found.st_uid != geteuid() || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    status = {Code::kUsage, fmt::format("'{}' is not a private folder of this user", parent)};
  } else {
    status = WriteIn(folder, path, path.substr(slash + 1), text);
  }
  close(folder);
  return status;
}

}  // namespace iprof::vm
