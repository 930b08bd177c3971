// AtBoundary: the edge between the JVM's C world and ours, which no exception crosses.
//
// Guarantees: noexcept; whatever the body throws is caught, counted and, the first times, logged
// with the name of the callback, so that a broken agent is heard of but never takes the application
// with it. Every JVMTI callback and every exported function has its body inside one. Any thread,
// any phase.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <string_view>

#include "agent/vm/settings/log.h"

namespace iprof::vm {

// How many bodies threw in this process.
inline std::atomic<uint64_t> boundary_failures{0};

// Why the logging itself is guarded: it formats, and memory may be what ran out.
inline void ReportBoundaryFailure(Log& log, std::string_view where, const char* what) noexcept {
  constexpr uint64_t kMostReports = 10;
  if (boundary_failures.fetch_add(1, std::memory_order_relaxed) >= kMostReports) return;
  try {
    log.Error(fmt::format("internal error in {}: {}; the program goes on", where, what));
  } catch (...) {
    return;
  }
}

template <typename Body>
void AtBoundary(Log& log, std::string_view where, Body&& body) noexcept {
  try {
    body();
  } catch (const std::exception& error) {
    ReportBoundaryFailure(log, where, error.what());
  } catch (...) {
    ReportBoundaryFailure(log, where, "an exception of unknown kind");
  }
}

}  // namespace iprof::vm
