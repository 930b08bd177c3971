#include "agent/vm/session/dump/profile_dump.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "agent/settings/out_path.h"
#include "writer/base/open_file.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/file_place.h"
#include "writer/records/raw/raw_format.h"

namespace iprof::vm {
namespace {

// A device or a descriptor such as /dev/fd/3 cannot have another file next to it. A named pipe can: perhaps it is none that the
// user asked for.
bool MayHaveNeighbours(const std::string& path) {
  const Result<FilePlace> place = FilePlace::Find(path);
  if (!place.ok()) return true;
  if (place->descriptor()) return false;
  return !place->found() || !(S_ISCHR(place->found()->st_mode) || S_ISBLK(place->found()->st_mode));
}

// Leaves a file with content alone: it may be complete although a later step failed.
void RemoveEmpty(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0 && found.st_size == 0) unlink(path.c_str());
}

// What a killed JVM has counted would be lost.
bool IsRawFile(const std::string& path) {
  const Result<OwnedFd> file = OpenFile(path, O_RDONLY, FileKind::kRegular);
  if (!file.ok()) return false;
  std::array<uint8_t, kRawMagic.size()> first{};
  const ssize_t count = pread(file->get(), first.data(), first.size(), 0);
  return count > 0 && BeginsRawFile({first.data(), static_cast<size_t>(count)});
}

Status Replace(const Profile& profile, const DumpTarget& target) {
  if (IsRawFile(target.path))
    return {Code::kIo, target.path + ": is a raw file, which the profile would replace"};
  return WriteFileForImage(profile, target.format, target.path, Readers::kOwner).status();
}

Result<std::string> DumpUnderUnusedName(const Profile& profile, const DumpTarget& target) {
  Result<std::string> reserved = ReserveUnusedName(target.path);
  if (!reserved.ok()) return reserved;
  const Status written =
      WriteFileForImage(profile, target.format, *reserved, Readers::kOwner).status();
  if (written.ok()) return reserved;
  RemoveEmpty(*reserved);
  return written;
}

}  // namespace

Result<DumpedFile> DumpProfile(const Profile& profile, const DumpTarget& target) {
  Status failed;
  if (target.overwrite) {
    failed = Replace(profile, target);
    if (failed.ok()) return DumpedFile{target.path, {}};
    if (!MayHaveNeighbours(target.path)) return failed;
  }
  Result<std::string> path = DumpUnderUnusedName(profile, target);
  if (path.ok()) return DumpedFile{std::move(*path), std::move(failed)};
  return failed.ok() ? path.status() : failed;  // report the name that was asked for
}

}  // namespace iprof::vm
