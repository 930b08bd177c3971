// Log: what the agent tells its user, on stderr or in a file.
//
// Guarantees: a line is one write(2), so that lines of several threads and processes never mix; a
// failed write is dropped, never retried or reported (there is nobody left to tell). Errors also go
// to stderr when a file is set. Any thread may call it in any phase of the JVM, but not a signal
// handler (it formats, so it may allocate). Open and SetVerbosity are called once at start, before
// other threads can log.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::vm {

enum class LogLevel : int { kError = -1, kNotice = 0, kStatistics = 1, kStep = 2, kDetail = 3 };

class Log {
 public:
  Log() = default;
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Appends to the file from now on. Nobody else's symbolic link is followed. On failure stderr stays the target.
  Status Open(const std::string& path);

  // 0..3; messages above it are dropped.
  void SetVerbosity(int level) { verbosity_ = level; }
  bool Shows(LogLevel level) const { return static_cast<int>(level) <= verbosity_; }

  void Error(std::string_view message) { Write(LogLevel::kError, message); }
  void Warning(std::string_view message) { Write(LogLevel::kNotice, message); }
  // What came out in the end: "wrote app.iprof".
  void Result(std::string_view message) { Write(LogLevel::kNotice, message); }
  void Statistics(std::string_view message) { Write(LogLevel::kStatistics, message); }
  void Step(std::string_view message) { Write(LogLevel::kStep, message); }
  void Detail(std::string_view message) { Write(LogLevel::kDetail, message); }

 private:
  void Write(LogLevel level, std::string_view message);

  int file_ = -1;
  int verbosity_ = 0;
};

// The line as it is written, without its time: control characters of the message are made harmless,
// so that one message is one line.
std::string LogLine(std::string_view message);

}  // namespace iprof::vm
