// Progress: a bar on standard error for work that takes more than a second.
//
// Guarantees: nothing is drawn unless standard error is a terminal (and TERM is not dumb). The bar
// appears after one second and is redrawn at most ten times per second. The destructor erases the
// line, so that output and messages never mix with it.
// Threads: Update on any thread, one call at a time.
// Failure: a failed write to the terminal is ignored. Throws nothing but std::bad_alloc.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "cli/terminal/console.h"

namespace iprof::cli {

class Progress {
 public:
  Progress(const Console& console, std::string what);
  // What is done from now on.
  void Begin(std::string what) { what_ = std::move(what); }
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // If total is 0, it is unknown, and only `done` is shown, with its unit.
  void Update(uint64_t done, uint64_t total, std::string_view unit);

 private:
  using Clock = std::chrono::steady_clock;

  int fd_;
  std::string what_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point next_draw_;
};

// The text of a bar for a terminal of 80 columns: "[#####.....] 50% reading a.iprof".
std::string ProgressLine(std::string_view what, uint64_t done, uint64_t total,
                         std::string_view unit);

}  // namespace iprof::cli
