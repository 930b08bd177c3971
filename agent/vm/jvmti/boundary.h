// AtBoundary: the boundary between the JVM's C code and ours. No exception crosses it.
//
// Guarantees: noexcept. All that the body throws is caught, counted and, the first few times,
// logged with the name of the callback, so a defect in the agent becomes visible but never harms
// the application. Every JVMTI callback and every exported function runs its body inside
// AtBoundary.
// Threads: any, in any phase. Failure: see above.
#pragma once

#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <string_view>

#include "agent/settings/log.h"

namespace iprof::vm {

// The number of bodies that threw in this process.
inline std::atomic<uint64_t> boundary_failures{0};

// Logging is guarded too, because it formats, and memory may have run out.
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
