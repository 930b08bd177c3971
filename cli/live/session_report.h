// What the user sees of an agent's answer and of a session's status.
//
// Guarantees: text from the agent is escaped. JSON has the members of the agent's own answer.
// Threads: one. Failure: as Console.
#pragma once

#include <functional>
#include <string>

#include "cli/terminal/console.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/text_layout.h"
#include "writer/control/answer.h"
#include "writer/control/progress.h"

namespace iprof::cli {

// The answer as text, one sentence, or as JSON. A refusal is an error, with exit code 4.
ExitCode ReportAnswer(Console& console, const std::string& who, const control::Answer& answer,
                      bool as_json);

// What `iprof status` prints: a row is a name and its value, on as many lines as it needs.
std::string StatusText(const std::string& who, const control::SessionStatus& status,
                       const Layout& layout);

// Shows on this line how far an agent is that takes long. The line must outlive the result.
std::function<void(const control::Progress&)> ShownOn(Progress& line);

}  // namespace iprof::cli
