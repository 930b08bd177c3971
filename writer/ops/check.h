// CheckProfile: every place where a file breaks a rule of the iprof format.
//
// Guarantees: all violations are found, not only the first, each with its byte offset (in the
// inflated text), JSON path, what was found and what was expected; they come in file order (tables
// that stand before the types come when the types are known). One mistake is not reported twice
// under two rules where one follows from the other. Time is linear in the input; memory is a small
// multiple of it. Fails only where the bytes cannot be read (kIo), are no JSON (kBadInput) or pass
// a limit (kLimit): what was found until then has been reported. A version that nobody can judge
// ends the check after its violation. No global state: may run in several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/image/file_shares.h"
#include "writer/io/byte_stream.h"
#include "writer/ops/check_rules.h"

namespace iprof {

struct Finding {
  Rule rule;
  uint64_t offset;
  std::string path;   // JSON path
  std::string found;  // what stands there
  std::string expected;
  bool doubtful() const { return InfoOf(rule).doubtful; }
};

struct CheckOptions {
  bool strict = false;  // report the doubtful, too
};

struct CheckCounts {
  size_t errors = 0;
  size_t doubts = 0;  // 0 unless strict
  size_t types = 0;
  size_t methods = 0;
  size_t entries = 0;
  ImageShares image;  // what image builds can use of the entries
};

using FindingHandler = std::function<void(const Finding&)>;

Result<CheckCounts> CheckProfile(ByteSource& source, std::string_view name,
                                 const CheckOptions& options, const FindingHandler& on_finding);
Result<CheckCounts> CheckProfileText(std::string_view text, const CheckOptions& options,
                                     const FindingHandler& on_finding);

}  // namespace iprof
