#include "cli/files/output_claim.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "agent/settings/out_path.h"
#include "cli/files/profile_files.h"
#include "writer/profile/io/atomic_file.h"
#include "writer/profile/io/file_place.h"
#include "writer/profile/io/lock_file.h"

namespace iprof::cli {
namespace {

namespace fs = std::filesystem;

// What is wrong with the path shows when it is written.
std::string Absolute(const std::string& path) {
  std::error_code error;
  return fs::absolute(path, error).lexically_normal().string();
}

// `path` gets the claim's number.
void Rename(Console& console, const vm::OutClaim& claim, const std::string& why,
            std::string& path) {
  const std::string asked = path;
  path = fs::path(path).replace_filename(fs::path(claim.path()).filename()).string();
  console.Warn(fmt::format("{}: {}; the profile goes to {}", asked, why, path));
}

// The last of the names before `unused` that no process has and that may be replaced.
std::optional<vm::OutClaim> ClaimEarlier(const std::string& path, const std::string& unused,
                                         const MayReplace& may_replace) {
  constexpr int64_t kMostNumber = 10'000;
  constexpr int64_t kMostRead = 10;  // large profiles take a while
  int64_t number = 1;
  while (number < kMostNumber && vm::NumberedName(path, number) != unused) ++number;
  const int64_t end = std::max<int64_t>(number - kMostRead, 1);
  while (--number >= end) {
    const std::string name = vm::NumberedName(path, number);
    // A link may lead to what has another name.
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(name, error))) continue;
    Result<vm::OutClaim> claim = vm::OutClaim::Take(name);
    if (claim.ok() && claim->path() == name && may_replace(name)) return std::move(*claim);
  }
  return std::nullopt;
}

}  // namespace

Result<vm::OutClaim> ClaimOutput(Console& console, pid_t jvm, std::string& path) {
  if (Status status = CheckIsNoRawFile(path); !status.ok()) return status;
  // Without Commit, nothing of it stays.
  if (Status writable = AtomicFile::Create(path).status(); !writable.ok()) return writable;
  const std::string absolute = Absolute(path);
  const Result<FilePlace> place = FilePlace::Find(absolute);
  // Its own profile may be replaced by a newer one.
  if (place.ok() && LockFile::IsHeldBy(*place, jvm)) return vm::OutClaim();
  Result<vm::OutClaim> claim = vm::OutClaim::Take(absolute);
  if (!claim.ok() || claim->why_numbered().empty()) return claim;
  Rename(console, *claim, claim->why_numbered(), path);
  if (Status status = CheckIsNoRawFile(path); !status.ok()) return status;
  return claim;
}

Result<vm::OutClaim> ClaimOutput(Console& console, std::string& path,
                                 const MayReplace& may_replace) {
  if (path == "-") return vm::OutClaim();
  if (Status status = CheckIsNoRawFile(path); !status.ok()) return status;
  const std::string absolute = Absolute(path);
  Result<vm::OutClaim> claim = vm::OutClaim::Take(absolute);
  if (!claim.ok() || claim->why_numbered().empty()) return claim;
  const std::string why = claim->why_numbered();
  claim = vm::OutClaim();  // the first free name may be unused, too
  claim = vm::OutClaim::Take(absolute, vm::ClaimRule::kNumbered);
  if (claim.ok() && may_replace) {
    if (auto earlier = ClaimEarlier(absolute, claim->path(), may_replace))
      claim = std::move(*earlier);
  }
  if (claim.ok()) Rename(console, *claim, why, path);
  return claim;
}

}  // namespace iprof::cli
