// CheckProfile: every place where a file breaks a rule of the iprof format.
//
// Guarantees: all violations are found, not only the first, each with its byte offset (in the
// inflated text), JSON path, what was found and what was expected. They are reported in file order,
// except that tables before the types are checked when the types are known, and that branch-outcomes and branch-folded come last. A mistake is not
// reported under a second rule if that follows from the first. Time is linear in the input; memory
// is a small multiple of it. An unknown version is reported and ends the check.
// Threads: any number at once; there is no global state.
// Failure: only if the bytes cannot be read (kIo), are not JSON (kBadInput) or exceed a limit
// (kLimit); earlier findings have been reported by then. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "writer/base/status.h"
#include "writer/ops/check_rules.h"
#include "writer/profile/image/file_shares.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof {

struct Finding {
  Rule rule;
  uint64_t offset;
  std::string path;   // JSON path
  std::string found;  // the text at that place
  std::string expected;
  bool doubtful() const { return InfoOf(rule).doubtful; }
};

struct CheckOptions {
  bool strict = false;  // also report what is doubtful
};

struct CheckCounts {
  size_t errors = 0;
  size_t impossible = 0;  // of these: Rule::kCountImpossible, about the numbers and not the format
  size_t doubts = 0;      // 0 unless strict
  size_t types = 0;
  size_t methods = 0;
  size_t entries = 0;
  ImageShares image;              // what image builds can use of the entries
  std::vector<std::string> jdks;  // versions that the file was recorded on, as far as it says
  size_t jdk_entries = 0;         // with positions in the JDK's own methods
  int64_t sample_signals = 0;     // that the samples are from
};

using FindingHandler = std::function<void(const Finding&)>;

Result<CheckCounts> CheckProfile(ByteSource& source, std::string_view name,
                                 const CheckOptions& options, const FindingHandler& on_finding);
Result<CheckCounts> CheckProfileText(std::string_view text, const CheckOptions& options,
                                     const FindingHandler& on_finding);

}  // namespace iprof
