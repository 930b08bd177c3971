#include "agent/vm/session/dump/profile_files.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "agent/vm/session/dump/profile_merge.h"
#include "writer/profile/io/lock_file.h"

namespace iprof::vm {
namespace {

ClaimRule RuleOf(const Options& options) {
  if (options.merge) return ClaimRule::kNumbered;
  return options.force == Overwrite::kNo ? ClaimRule::kUnused : ClaimRule::kReplace;
}

}  // namespace

Status ProfileFiles::Claim(Log& log) {
  if (IsClaimed()) return {};
  const std::string asked = out();
  const ClaimRule rule = RuleOf(options_);
  Result<OutClaim> claim = OutClaim::Take(asked, rule);
  if (!claim.ok()) return claim.status();
  if (!claim->problem().empty()) {
    log.Step(fmt::format("'{}' cannot be locked: {}; another JVM could write it at the same time",
                         claim->path(), claim->problem()));
  }
  if (rule == ClaimRule::kReplace && !claim->why_numbered().empty()) {
    // merge=y does not write another user's file, either.
    const bool is_by_jvm = claim->why_numbered() == LockFile::kTaken;
    log.Warning(fmt::format("{}: {}; this JVM writes {}{}", asked, claim->why_numbered(),
                            claim->path(), is_by_jvm ? " (merge=y adds all to one file)" : ""));
  }
  const std::lock_guard lock(mutex_);
  claim_ = std::move(*claim);
  if (rule == ClaimRule::kReplace) out_ = claim_.path();
  return {};
}

bool ProfileFiles::IsClaimed() const {
  const std::lock_guard lock(mutex_);
  return !claim_.path().empty();
}

std::string ProfileFiles::out() const {
  const std::lock_guard lock(mutex_);
  return out_;
}

std::string ProfileFiles::own_path() const {
  const std::lock_guard lock(mutex_);
  return claim_.path().empty() ? out_ : claim_.path();
}

void ProfileFiles::Release() {
  const std::lock_guard lock(mutex_);
  claim_.Release();
}

WriteOptions ProfileFiles::FormatOf(bool gzip) const {
  WriteOptions format;
  format.version = options_.format;
  format.gzip = gzip;
  return format;
}

Result<DumpedFile> ProfileFiles::Write(const Profile& profile, const std::string& path,
                                       NameOwner owner) {
  const std::string session_out = out();
  const bool is_own = path == session_out;
  // force=n looks for an unused name with each profile.
  const bool overwrites = options_.force != Overwrite::kNo;
  // The name of another file than the session's own says whether it is compressed.
  DumpTarget target{.path = is_own && options_.merge ? own_path() : path,
                    .overwrite = overwrites,
                    .format = FormatOf(is_own ? options_.gzip : path.ends_with(".gz"))};
  OutClaim claim;
  if (!is_own && owner == NameOwner::kNobody && overwrites) {
    Result<OutClaim> taken = OutClaim::Take(path);
    if (!taken.ok()) return taken.status();
    claim = std::move(*taken);
    target.path = claim.path();
  }
  Result<DumpedFile> dumped = DumpProfile(profile, target);
  if (!dumped.ok()) return dumped;
  if (is_own && options_.merge && own_path() != session_out) {
    to_merge_ = dumped->path;
    dumped->added_to = session_out;
  }
  if (dumped->not_replaced.ok() && !claim.why_numbered().empty())
    dumped->not_replaced = Status(Code::kLimit, fmt::format("{}: {}", path, claim.why_numbered()));
  return dumped;
}

void ProfileFiles::Finish(Log& log, std::chrono::milliseconds patience) {
  if (!to_merge_.empty()) {
    const std::string own = std::exchange(to_merge_, {});
    const auto on_wait = [&] {
      log.Result(fmt::format(
          "waiting for other JVMs that add their profiles to {}; this one's is in {}", out(), own));
    };
    const Result<std::vector<std::string>> warnings =
        MergeInto(own, out(), FormatOf(options_.gzip), {.patience = patience, .on_wait = on_wait});
    if (warnings.ok()) {
      log.Result(fmt::format("removed {}: it was added to {}", own, out()));
      for (const std::string& warning : *warnings)
        log.Warning(fmt::format("{}: {}", out(), warning));
    } else {
      log.Warning(
          fmt::format("{}; not merged: the profile stays in {}", warnings.status().message(), own));
    }
  }
  Release();
}

}  // namespace iprof::vm
