#include "writer/profile/io/temporary_file.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string_view>

#include "writer/base/open_file.h"

namespace iprof {
namespace {

constexpr size_t kNameBytesInTemporary = 100;
constexpr std::string_view kSuffix = ".tmp";
constexpr std::time_t kLeastAgeSeconds = 60;  // longer than from its creation to HoldTemporary

std::string PrefixFor(const std::string& name) {
  return "." + name.substr(0, kNameBytesInTemporary) + ".";
}

// Whether the file is the temporary one of a target with this prefix: prefix, "PID.NUMBER", suffix.
bool IsTemporary(std::string_view file, std::string_view prefix) {
  if (!file.starts_with(prefix) || !file.ends_with(kSuffix) ||
      file.size() <= prefix.size() + kSuffix.size())
    return false;
  const std::string_view numbers =
      file.substr(prefix.size(), file.size() - prefix.size() - kSuffix.size());
  return numbers.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::count(numbers.begin(), numbers.end(), '.') == 1 && numbers.front() != '.' &&
         numbers.back() != '.';
}

void RemoveIfAbandoned(int folder, const char* name) {
  const Result<OwnedFd> opened = OpenFile(folder, name, O_RDONLY | O_NOFOLLOW, FileKind::kRegular);
  if (!opened.ok()) return;
  struct stat file {};
  const bool is_old = ::fstat(opened->get(), &file) == 0 && file.st_uid == ::geteuid() &&
                      std::time(nullptr) - file.st_mtime >= kLeastAgeSeconds;
  if (is_old && ::flock(opened->get(), LOCK_EX | LOCK_NB) == 0) ::unlinkat(folder, name, 0);
}

}  // namespace

std::string TemporaryNameFor(const std::string& name, unsigned number) {
  std::string temporary = PrefixFor(name);
  temporary += std::to_string(::getpid()) + "." + std::to_string(number);
  return temporary.append(kSuffix);
}

void HoldTemporary(int fd, SystemCalls& calls) { calls.Flock(fd, LOCK_EX | LOCK_NB); }

void RemoveAbandonedTemporaries(int folder, const std::string& name) {
  const std::string prefix = PrefixFor(name);
  for (const std::string& file : NamesIn(folder)) {
    if (IsTemporary(file, prefix)) RemoveIfAbandoned(folder, file.c_str());
  }
}

}  // namespace iprof
