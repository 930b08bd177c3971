// Log: the agent's messages to its user, on stderr or in a file.
//
// Guarantees: a line is one write(2), so lines of several threads and processes never mix. If a
// file is set, errors go to stderr too.
// Threads: any, in any phase of the JVM, but not in a signal handler, because it formats and may
// allocate. Open and SetVerbosity are called once at start, before other threads can log.
// Failure: a failed write is dropped, because there is no place to report it; so is one into a named
// pipe that is full. If Open fails, the
// log stays on stderr.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "writer/base/open_file.h"
#include "writer/base/status.h"

namespace iprof::vm {

enum class LogLevel : int { kError = -1, kNotice = 0, kStatistics = 1, kStep = 2, kDetail = 3 };

class Log {
 public:
  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Appends to the file from now on. Symbolic links of other users are not followed. On failure the
  // log stays on stderr.
  Status Open(const std::string& path);

  // 0 to 3; messages above this level are dropped.
  void SetVerbosity(int level) { verbosity_ = level; }
  bool Shows(LogLevel level) const { return static_cast<int>(level) <= verbosity_; }

  void Error(std::string_view message) { Write(LogLevel::kError, message); }
  void Warning(std::string_view message) { Write(LogLevel::kNotice, message); }
  // The final result: "wrote app.iprof".
  void Result(std::string_view message) { Write(LogLevel::kNotice, message); }
  void Statistics(std::string_view message) { Write(LogLevel::kStatistics, message); }
  void Step(std::string_view message) { Write(LogLevel::kStep, message); }
  void Detail(std::string_view message) { Write(LogLevel::kDetail, message); }

 private:
  void Write(LogLevel level, std::string_view message);

  OwnedFd file_;  // not open: stderr
  int verbosity_ = 0;
};

// The line as it is written, without its time. Control characters are escaped, so one message is
// one line.
std::string LogLine(std::string_view message);

}  // namespace iprof::vm
