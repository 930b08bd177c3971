// WaitFor: waits beside a running program, with a bar.
//
// Guarantees: notices the program's end and, while HeldSignals lives, an interrupt within a tenth of a second.
// Threads: one. Failure: throws nothing but std::bad_alloc.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "cli/jvm/process.h"
#include "cli/terminal/console.h"

namespace iprof::cli {

enum class Ending { kTimeIsUp, kInterrupt, kProgramEnded };

// `what` is the bar's text. Without a time it waits for ever. `has_news`: whether the program says that it ends; null: it
// does not say that.
Ending WaitFor(const Console& console, const jvm::Process& process, const std::string& what,
               std::optional<std::chrono::milliseconds> most,
               const std::function<bool()>& has_news = {});

}  // namespace iprof::cli
