// ExitCode: the exit codes of the iprof tool. Scripts rely on the numbers, so they never change.
//
// Guarantees: pure. Threads: any. Failure: none.
#pragma once

#include "writer/base/status.h"

namespace iprof::cli {

enum class ExitCode : int {
  kOk = 0,
  // check found violations or methods that do not fit, advise has doubts, diff --exit-code found differences, a merge left inputs out, merge
  // --strict found different code, show --method matched nothing
  kFindings = 1,
  kUsage = 2,      // unknown command or option, missing or contradicting arguments
  kBadInput = 3,   // an input is not a profile that we read, or a process not a JVM for the agent
  kIo = 4,         // the operating system or a JVM did not do what was asked, or memory ran out
  kNoSamples = 5,  // top and convert --to collapsed: the profile has no samples
  kUnusable = 6,   // advise: an image build should not use the profile
  kBug = 70,       // our own logic failed
};

// The exit code for an error value.
constexpr ExitCode ExitCodeOf(Code code) {
  switch (code) {
    case Code::kOk:
      return ExitCode::kOk;
    case Code::kUsage:
      return ExitCode::kUsage;
    case Code::kBadInput:
    case Code::kNothingYet:
    case Code::kUnsupported:
    case Code::kLimit:
      return ExitCode::kBadInput;
    case Code::kIo:
      return ExitCode::kIo;
    case Code::kInternal:
      break;
  }
  return ExitCode::kBug;
}

}  // namespace iprof::cli
