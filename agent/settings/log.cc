#include "agent/settings/log.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "writer/base/system_calls.h"
#include "writer/base/utc_time.h"
#include "writer/profile/io/file_place.h"

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

Status Log::Open(const std::string& path) {
  const auto failure = [&](const std::string& why) {
    return Status(Code::kIo, fmt::format("cannot open the log file '{}': {}", path, why));
  };
  const iprof::Result<FilePlace> place = FilePlace::Find(path);
  if (!place.ok()) return failure(place.status().message());
  if (place->descriptor() && place->descriptor()->ours) {
    file_ = OwnedFd(SystemCalls::Real().Dup(place->descriptor()->number));
    return file_.is_open() ? Status() : failure(std::generic_category().message(errno));
  }
  // The name of another process's descriptor looks like a link.
  const int how = place->descriptor() ? 0 : O_CREAT | O_NOFOLLOW;
  iprof::Result<OwnedFd> file =
      OpenFile(place->folder(), place->name(), O_WRONLY | O_APPEND | how, FileKind::kStream, 0644);
  if (!file.ok()) return failure(file.status().message());
  file_ = std::move(*file);
  return Status();
}

void Log::Write(LogLevel level, std::string_view message) {
  if (!Shows(level)) return;
  const std::string line = LogLine(message);
  if (file_.is_open()) WriteOnce(file_.get(), Now() + " " + line);
  if (!file_.is_open() || level == LogLevel::kError) WriteOnce(STDERR_FILENO, line);
}

}  // namespace iprof::vm
