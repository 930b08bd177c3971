#include "agent/vm/session/profile_dump.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "agent/vm/settings/out_path.h"

namespace iprof::vm {
namespace {

// There can be no other file next to a device or pipe.
bool MayHaveNeighbours(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode);
}

// Leaves a file with content alone: it may be complete although a later step failed.
void RemoveEmpty(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0 && found.st_size == 0) unlink(path.c_str());
}

Result<std::string> DumpUnderUnusedName(const Profile& profile, const DumpTarget& target) {
  Result<std::string> reserved = ReserveUnusedName(target.path);
  if (!reserved.ok()) return reserved;
  const Status written =
      WriteProfileFile(profile, target.format, *reserved, Readers::kOwner).status();
  if (written.ok()) return reserved;
  RemoveEmpty(*reserved);
  return written;
}

}  // namespace

Result<DumpedFile> DumpProfile(const Profile& profile, const DumpTarget& target) {
  Status failed;
  if (target.overwrite) {
    failed = WriteProfileFile(profile, target.format, target.path, Readers::kOwner).status();
    if (failed.ok()) return DumpedFile{target.path, {}};
    if (!MayHaveNeighbours(target.path)) return failed;
  }
  Result<std::string> path = DumpUnderUnusedName(profile, target);
  if (path.ok()) return DumpedFile{std::move(*path), std::move(failed)};
  return failed.ok() ? path.status() : failed;  // report the name that was asked for
}

}  // namespace iprof::vm
