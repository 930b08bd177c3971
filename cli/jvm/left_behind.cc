#include "cli/jvm/left_behind.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include <string>
#include <string_view>

#include "cli/jvm/borrowed_ids.h"
#include "cli/jvm/doorbell.h"
#include "cli/jvm/private_folder.h"

namespace iprof::jvm {
namespace {

bool IsOld(const struct stat& found) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return found.st_mtim.tv_sec + kLeftBehindAfter.count() < now.tv_sec;
}

void RemoveFolder(const JvmTarget& target, const std::string& name) {
  const int tmp = target.tmp.get();
  const Result<OwnedFd> folder = OpenWithin(tmp, name, O_RDONLY | O_NOFOLLOW, FileKind::kFolder);
  struct stat found {};
  if (!folder.ok() || fstat(folder->get(), &found) != 0) return;
  if (found.st_uid != target.status.uid || !IsOld(found)) return;
  if (flock(folder->get(), LOCK_EX | LOCK_NB) != 0) return;  // its tool lives
  for (const std::string& file : NamesIn(folder->get())) unlinkat(folder->get(), file.c_str(), 0);
  unlinkat(tmp, name.c_str(), AT_REMOVEDIR);
}

void RemoveCommand(const JvmTarget& target, const std::string& name) {
  struct stat found {};
  if (fstatat(target.tmp.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!S_ISREG(found.st_mode) || found.st_uid != target.status.uid || !IsOld(found)) return;
  unlinkat(target.tmp.get(), name.c_str(), 0);
}

}  // namespace

void RemoveLeftBehind(const JvmTarget& target) {
  const BorrowedIds ids(target.status);
  if (!ids.status().ok()) return;
  for (const std::string& name : NamesIn(target.tmp.get())) {
    if (PrivateFolder::IsName(name)) RemoveFolder(target, name);
    if (name.starts_with(kDoorbellPrefix)) RemoveCommand(target, name);
  }
}

}  // namespace iprof::jvm
