#include "agent/settings/out_claim.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "agent/settings/out_path.h"
#include "writer/profile/io/file_place.h"

namespace iprof::vm {
namespace {

constexpr int64_t kLastNumber = 9'999;

bool IsRegular(const FilePlace& place) {
  return !place.descriptor() && (!place.found() || S_ISREG(place.found()->st_mode));
}

// Whether a profile may be put into this numbered name.
bool IsUsable(const FilePlace& place, ClaimRule rule) {
  if (!IsRegular(place)) return false;
  if (!place.found()) return true;
  return rule == ClaimRule::kReplace &&
         faccessat(place.folder(), place.name().c_str(), W_OK, 0) == 0;
}

}  // namespace

Result<OutClaim> OutClaim::Take(const std::string& path, ClaimRule rule) {
  OutClaim claim;
  claim.path_ = path;
  // The path was examined before. What is wrong with it shows when it is written.
  const Result<FilePlace> asked = FilePlace::Find(path);
  if (asked.ok() ? !IsRegular(*asked) : rule == ClaimRule::kReplace) return claim;
  for (int64_t number = rule == ClaimRule::kNumbered ? 1 : 0; number <= kLastNumber; ++number) {
    std::string candidate = number == 0 ? path : NumberedName(path, number);
    const Result<FilePlace> place = FilePlace::Find(candidate);
    const bool is_examined = number == 0 && rule == ClaimRule::kReplace;
    if (!place.ok() || !(is_examined || IsUsable(*place, rule))) continue;
    Result<LockFile> lock = LockFile::Take(*place);
    if (!lock.ok() && lock.status().code() == Code::kLimit) {
      if (claim.why_numbered_.empty()) claim.why_numbered_ = lock.status().message();
      continue;
    }
    if (lock.ok()) {
      claim.lock_ = std::move(*lock);
    } else {
      claim.problem_ = lock.status().message();
    }
    claim.path_ = std::move(candidate);
    return claim;
  }
  return Status(
      Code::kLimit,
      fmt::format("all names from '{}' to number {} are taken by other JVMs", path, kLastNumber));
}

}  // namespace iprof::vm
