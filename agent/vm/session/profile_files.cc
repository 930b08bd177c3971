#include "agent/vm/session/profile_files.h"

#include <fmt/format.h>

#include <utility>

#include "agent/vm/session/profile_merge.h"

namespace iprof::vm {
namespace {

ClaimRule RuleOf(const Options& options) {
  if (options.merge) return ClaimRule::kNumbered;
  return options.force == Overwrite::kNo ? ClaimRule::kUnused : ClaimRule::kReplace;
}

}  // namespace

Result<OutClaim> ProfileFiles::Claim(const Options& options, const std::string& path, Log& log) {
  Result<OutClaim> claim = OutClaim::Take(path, RuleOf(options));
  if (!claim.ok()) return claim;
  if (!claim->problem().empty()) {
    log.Step(fmt::format("'{}' cannot be locked: {}; another JVM could write it at the same time",
                         claim->path(), claim->problem()));
  }
  if (RuleOf(options) == ClaimRule::kReplace && !claim->why_numbered().empty()) {
    log.Warning(fmt::format("{}: {}; this JVM writes {} (merge=y adds all to one file)", path,
                            claim->why_numbered(), claim->path()));
  }
  return claim;
}

ProfileFiles::ProfileFiles(const Options& options, const std::string& asked, OutClaim claim)
    : options_(options),
      out_(RuleOf(options) == ClaimRule::kReplace && !claim.path().empty() ? claim.path() : asked),
      claim_(std::move(claim)) {}

WriteOptions ProfileFiles::FormatOf(bool gzip) const {
  WriteOptions format;
  format.version = options_.format;
  format.gzip = gzip;
  return format;
}

Result<DumpedFile> ProfileFiles::Write(const Profile& profile, const std::string& path,
                                       NameOwner owner) {
  const bool is_own = path == out_;
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
  if (is_own && options_.merge && own_path() != out_) to_merge_ = dumped->path;
  if (dumped->not_replaced.ok() && !claim.why_numbered().empty())
    dumped->not_replaced = Status(Code::kLimit, fmt::format("{}: {}", path, claim.why_numbered()));
  return dumped;
}

void ProfileFiles::Finish(Log& log, std::chrono::milliseconds patience) {
  if (!to_merge_.empty()) {
    const std::string own = std::exchange(to_merge_, {});
    const Status merged = MergeInto(own, out_, FormatOf(options_.gzip), patience);
    if (merged.ok()) {
      log.Result(fmt::format("added to {}", out_));
    } else {
      log.Warning(fmt::format("{}; not merged: the profile stays in {}", merged.message(), own));
    }
  }
  claim_.Release();
}

}  // namespace iprof::vm
