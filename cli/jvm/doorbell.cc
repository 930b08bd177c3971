#include "cli/jvm/doorbell.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/jvm/borrowed_ids.h"
#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

// The command's file, which is removed with its object unless the agent took it.
class CommandFile {
 public:
  explicit CommandFile(const JvmTarget& target)
      : target_(target), name_(fmt::format("{}{}", kDoorbellPrefix, target.status.inner_pid)) {}
  ~CommandFile() {
    if (is_made_) Unlink();
  }
  CommandFile(const CommandFile&) = delete;
  CommandFile& operator=(const CommandFile&) = delete;

  Status Make(const std::string& command, TargetWait& wait) {
    // Under another name first, because another tool's ringing can make the agent look at any moment.
    const std::string draft = name_ + fmt::format(".{}", getpid());
    const BorrowedIds ids(target_.status);
    if (!ids.status().ok()) return ids.status();
    const int tmp = target_.tmp.get();
    unlinkat(tmp, draft.c_str(), 0);
    Result<OwnedFd> made =
        OpenFile(tmp, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FileKind::kRegular, 0600);
    if (!made.ok()) return Failed();
    file_ = std::move(*made);
    const bool is_written =
        write(file_.get(), command.data(), command.size()) == static_cast<ssize_t>(command.size());
    Status status = is_written ? Place(draft, wait) : Failed();
    unlinkat(tmp, draft.c_str(), 0);
    return status;
  }

  bool WasTaken() const {
    struct stat found {};
    return fstatat(target_.tmp.get(), name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
           found.st_ino != inode_;
  }

 private:
  // A hard link, because it never replaces another tool's file.
  Status Place(const std::string& draft, TargetWait& wait) {
    const int tmp = target_.tmp.get();
    while (linkat(tmp, draft.c_str(), tmp, name_.c_str(), 0) != 0) {
      if (errno != EEXIST) return Failed();
      if (IsStale()) unlinkat(tmp, name_.c_str(), 0);
      if (Status status = wait.Pause(); !status.ok()) return status;
    }
    struct stat made {};
    if (fstatat(tmp, draft.c_str(), &made, AT_SYMLINK_NOFOLLOW) == 0) inode_ = made.st_ino;
    is_made_ = true;
    return Status();
  }

  // A tool that was killed left it, and no data dump was requested since then.
  bool IsStale() const {
    struct stat found {};
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return fstatat(target_.tmp.get(), name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           found.st_mtim.tv_sec + kStaleAfter.count() < now.tv_sec;
  }

  Status Failed() const {
    return Status(Code::kIo, fmt::format("cannot put a command into the /tmp of {}: {}",
                                         target_.process.Name(), std::strerror(errno)));
  }

  void Unlink() {
    const BorrowedIds ids(target_.status);
    if (!WasTaken()) unlinkat(target_.tmp.get(), name_.c_str(), 0);
  }

  const JvmTarget& target_;
  const std::string name_;
  OwnedFd file_;  // open until the end, so that no other file can have its number
  bool is_made_ = false;
  ino_t inode_ = 0;
};

}  // namespace

Status Ring(JvmConnection& connection, const std::string& command, std::chrono::milliseconds most) {
  const JvmTarget& target = connection.target();
  CommandFile file(target);
  TargetWait wait(target.process, most);
  if (Status status = file.Make(command, wait); !status.ok()) return status;
  const Result<Answer> answer = connection.Request({"jcmd", "JVMTI.data_dump"});
  if (!answer.ok()) return answer.status();
  if (file.WasTaken()) return Status();
  const Status lives = target.process.LivesOn();
  if (file.WasTaken())
    return Status();  // late, and its answer may be there although the JVM has ended
  if (!lives.ok()) return lives;
  return Status(Code::kUnsupported,
                fmt::format("{}: the agent did not take the command: the program is ending, or the "
                            "agent has stopped working or is of another release than this tool",
                            target.process.Name()));
}

}  // namespace iprof::jvm
