#include "agent/vm/session/dump/profile_merge.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "writer/base/open_file.h"
#include "writer/ops/merge.h"
#include "writer/ops/merge_warnings.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/file_place.h"
#include "writer/profile/io/lock_file.h"

namespace iprof::vm {
namespace {

// Some have a claim for a moment only: who writes one dump, or a child process before its exec.
constexpr auto kClaimPatience = std::chrono::milliseconds(200);

constexpr auto kPreferred = PreferredVersion::kNewest;

Status Failed(const std::string& path, std::string_view why) {
  return {Code::kIo, fmt::format("{}: {}", path, why)};
}

// The file in this place, held open, so that what was checked is what is read.
Result<OwnedFd> HoldFile(const FilePlace& place, const std::string& path) {
  Result<OwnedFd> file =
      OpenFile(place.folder(), place.name(), O_RDONLY | O_NOFOLLOW, FileKind::kRegular);
  if (!file.ok()) return Failed(path, file.status().message());
  struct stat found {};
  if (fstat(file->get(), &found) != 0) return Failed(path, std::strerror(errno));
  if (found.st_uid != geteuid() && found.st_uid != 0) {
    return Failed(path,
                  fmt::format("belongs to another user (uid {}), and is not merged", found.st_uid));
  }
  return file;
}

// Messages about the shared file shall name it as the user did.
std::string WithName(std::string message, const std::string& from, const std::string& to) {
  for (size_t at = message.find(from); at != std::string::npos; at = message.find(from, at)) {
    message.replace(at, from.size(), to);
    at += to.size();
  }
  return message;
}

// Writes the sum of both, or the own profile alone if there is no other yet.
Result<std::vector<std::string>> AddTo(const FilePlace& place, const std::string& own,
                                       const std::string& shared, WriteOptions format) {
  std::vector<MergeInput> inputs{{own}};
  OwnedFd there;
  std::string there_path;
  if (place.found()) {
    Result<OwnedFd> held = HoldFile(place, shared);
    if (!held.ok()) return held.status();
    there = std::move(*held);
    there_path = fmt::format("/proc/self/fd/{}", there.get());
    inputs.push_back({there_path});
  }
  // One thread: the program is ending, and the system may refuse another one.
  Result<MergeResult> merged = MergeFiles(inputs, {.failure_mode = FailureMode::kAny,
                                                   .preferred = kPreferred,
                                                   .threads = 1,
                                                   .on_progress = {}});
  const auto named = [&](const std::string& message) {
    return there.is_open() ? WithName(message, there_path, shared) : message;
  };
  if (!merged.ok()) return Status(merged.status().code(), named(merged.status().message()));
  format.version = std::max(format.version, SmallestVersionFor(merged->profile));
  const Status written =
      WriteFileForImage(merged->profile, format, shared, Readers::kOwner).status();
  if (!written.ok()) return written;
  std::vector<std::string> warnings = WarningsOf(*merged, kPreferred);
  for (std::string& warning : warnings) warning = named(warning);
  return warnings;
}

bool IsTaken(const Result<LockFile>& lock) {
  return !lock.ok() && lock.status().message() == LockFile::kTaken;
}

Result<LockFile> TakeTurn(const FilePlace& place, const MergeWait& wait) {
  const auto take = [&](std::chrono::milliseconds patience) {
    return LockFile::Take(place, patience, SystemCalls::Real(), LockUse::kTurn);
  };
  const auto silence = std::min(wait.silence, wait.patience);
  Result<LockFile> turn = take(silence);
  if (!IsTaken(turn) || silence == wait.patience) return turn;
  if (wait.on_wait) wait.on_wait();
  return take(wait.patience - silence);
}

}  // namespace

Result<std::vector<std::string>> MergeInto(const std::string& own, const std::string& shared,
                                           WriteOptions format, const MergeWait& wait) {
  const Result<FilePlace> own_place = FilePlace::Find(own);
  if (!own_place.ok()) return Failed(own, own_place.status().message());
  const Result<FilePlace> before = FilePlace::Find(shared);
  if (!before.ok()) return Failed(shared, before.status().message());
  const Result<LockFile> turn = TakeTurn(*before, wait);
  if (IsTaken(turn)) return Failed(shared, "other JVMs have been merging into it for too long");
  if (!turn.ok()) return Failed(shared, turn.status().message());
  const Result<LockFile> claim = LockFile::Take(*before, kClaimPatience);
  if (IsTaken(claim))
    return Failed(shared,
                  fmt::format("{} (a JVM without merge=y, or an iprof command)", LockFile::kTaken));
  if (!claim.ok()) return Failed(shared, claim.status().message());
  // Now that others have merged.
  const Result<FilePlace> place = FilePlace::Find(shared);
  if (!place.ok()) return Failed(shared, place.status().message());
  Result<std::vector<std::string>> warnings = AddTo(*place, own, shared, format);
  if (!warnings.ok()) return warnings;
  if (unlinkat(own_place->folder(), own_place->name().c_str(), 0) != 0)
    return Failed(own, fmt::format("cannot be removed after the merge: {}", std::strerror(errno)));
  return warnings;
}

}  // namespace iprof::vm
