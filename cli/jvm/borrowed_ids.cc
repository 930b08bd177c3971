#include "cli/jvm/borrowed_ids.h"

#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace iprof::jvm {
namespace {

constexpr auto kKeep = static_cast<unsigned>(-1);

// The C library's functions change all threads; the system calls change this one.
bool SetGroups(const std::vector<gid_t>& groups) {
  return syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}
bool SetEffectiveGroup(gid_t gid) { return syscall(SYS_setresgid, kKeep, gid, kKeep) == 0; }
bool SetEffectiveUser(uid_t uid) { return syscall(SYS_setresuid, kKeep, uid, kKeep) == 0; }

std::vector<gid_t> OwnGroups() {
  std::vector<gid_t> groups(static_cast<size_t>(std::max(0, getgroups(0, nullptr))));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<size_t>(std::max(0, count)));
  return groups;
}

}  // namespace

BorrowedIds::BorrowedIds(const ProcessStatus& target) : own_uid_(geteuid()), own_gid_(getegid()) {
  if (own_uid_ != 0 || (target.uid == own_uid_ && target.gid == own_gid_)) return;
  own_groups_ = OwnGroups();
  borrowed_ = true;
  // The user last, because another user may not change groups.
  if (SetGroups(target.groups) && SetEffectiveGroup(target.gid) && SetEffectiveUser(target.uid)) {
    return;
  }
  status_ = Status(Code::kIo, fmt::format("cannot act as user {} and group {}: {}", target.uid,
                                          target.gid, std::strerror(errno)));
  GiveBack();
}

BorrowedIds::~BorrowedIds() { GiveBack(); }

void BorrowedIds::GiveBack() {
  if (!borrowed_) return;
  borrowed_ = false;
  // The real and the saved user are still root, so none of these can be refused.
  SetEffectiveUser(own_uid_);
  SetEffectiveGroup(own_gid_);
  SetGroups(own_groups_);
}

}  // namespace iprof::jvm
