#include "agent/vm/settings/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>

#include "writer/base/utc_time.h"
#include "writer/io/file_place.h"

namespace iprof::vm {
namespace {

// One write. Repeated only if a signal interrupted it before it began.
void WriteOnce(int file, std::string_view text) {
  ssize_t written = 0;
  do {
    written = write(file, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
}

std::string Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return UtcText(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

std::string LogLine(std::string_view message) {
  std::string line = "iprofagent: ";
  for (char c : message) line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  line += '\n';
  return line;
}

Log::~Log() {
  if (file_ >= 0) close(file_);
}

Status Log::Open(const std::string& path) {
  const auto failure = [&](const std::string& why) {
    return Status(Code::kIo, fmt::format("cannot open the log file '{}': {}", path, why));
  };
  const iprof::Result<FilePlace> place = FilePlace::Find(path);
  if (!place.ok()) return failure(place.status().message());
  // The name of a descriptor (/dev/stderr leads to one) looks like a link.
  const int no_follow = place->descriptor() ? 0 : O_NOFOLLOW;
  const int file = openat(place->folder(), place->name().c_str(),
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | no_follow, 0644);
  if (file < 0) return failure(std::generic_category().message(errno));
  if (file_ >= 0) close(file_);
  file_ = file;
  return Status();
}

void Log::Write(LogLevel level, std::string_view message) {
  if (!Shows(level)) return;
  const std::string line = LogLine(message);
  if (file_ >= 0) WriteOnce(file_, Now() + " " + line);
  if (file_ < 0 || level == LogLevel::kError) WriteOnce(STDERR_FILENO, line);
}

}  // namespace iprof::vm
