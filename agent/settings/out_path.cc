#include "agent/settings/out_path.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "writer/base/open_file.h"
#include "writer/profile/io/file_place.h"

namespace iprof::vm {
namespace {

std::string TimeText(std::time_t time) {
  std::tm local{};
  localtime_r(&time, &local);
  std::array<char, 32> text{};
  const size_t length = std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &local);
  return std::string(text.data(), length);
}

// A device or a pipe has no neighbours.
bool HasNeighbours(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode);
}

bool CanMakeFilesIn(int folder) { return faccessat(folder, ".", W_OK | X_OK, 0) == 0; }

}  // namespace

PathFacts CurrentPathFacts() {
  PathFacts facts;
  facts.pid = getpid();
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) facts.host = host.data();
  if (facts.host.empty()) facts.host = "localhost";
  facts.start = std::time(nullptr);
  if (const char* const home = std::getenv("HOME")) facts.home = home;
  return facts;
}

bool IsToolsFolderName(std::string_view name) {
  return name.size() == kToolsFolderPrefix.size() + kToolsFolderDigits &&
         name.starts_with(kToolsFolderPrefix) &&
         name.find_first_not_of("0123456789abcdef", kToolsFolderPrefix.size()) == name.npos;
}

bool IsInToolsFolder(std::string_view path) {
  constexpr std::string_view kTmp = "/tmp/";
  if (!path.starts_with(kTmp)) return false;
  path.remove_prefix(kTmp.size());
  const size_t slash = path.find('/');
  return slash != path.npos && slash == path.rfind('/') && IsToolsFolderName(path.substr(0, slash));
}

Result<std::string> ExpandHome(std::string_view path, const PathFacts& facts) {
  if (!path.starts_with('~')) return std::string(path);
  const std::string_view rest = path.substr(1);
  if (!rest.empty() && !rest.starts_with('/')) {
    return Status(
        Code::kUsage,
        fmt::format("'{}' is the home of another user, which only a shell knows: write the "
                    "folder's full name",
                    path.substr(0, path.find('/'))));
  }
  if (facts.home.empty()) {
    return Status(Code::kUsage,
                  "'~' is the home folder, and this JVM's environment has no HOME: write the "
                  "folder's full name");
  }
  return facts.home + std::string(rest);
}

Result<std::string> ExpandPattern(std::string_view pattern, const PathFacts& facts) {
  std::string path;
  if (pattern.starts_with('~')) {
    const std::string_view begin = pattern.substr(0, pattern.find('/'));
    const Result<std::string> home = ExpandHome(begin, facts);
    if (!home.ok()) return home;
    path = *home;  // as it is, also with a '%'
    pattern.remove_prefix(begin.size());
  }
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      path += pattern[i];
      continue;
    }
    const char letter = ++i < pattern.size() ? pattern[i] : '\0';
    switch (letter) {
      case 'p':
        path += fmt::format("{}", facts.pid);
        break;
      case 'h':
        path += facts.host;
        break;
      case 't':
        path += TimeText(facts.start);
        break;
      case '%':
        path += '%';
        break;
      default:
        return Status(
            Code::kUsage,
            fmt::format("'{}' contains '%{}', but only %p, %h, %t and %% are known", pattern,
                        letter == '\0' ? std::string() : std::string(1, letter)));
    }
  }
  return path;
}

Result<std::string> ResolveOutPath(std::string_view pattern, const PathFacts& facts,
                                   OldFile old_file) {
  namespace fs = std::filesystem;
  const Result<std::string> expanded = ExpandPattern(pattern, facts);
  if (!expanded.ok()) return expanded.status();
  std::error_code error;
  const fs::path path = fs::absolute(fs::path(*expanded), error).lexically_normal();
  if (error) {
    return Status(Code::kIo,
                  fmt::format("cannot find the working directory, to which '{}' is relative: {}",
                              *expanded, error.message()));
  }
  const std::string parent = path.parent_path().string();
  const Result<OwnedFd> made = FilePlace::FindFolder(parent, MissingFolders::kMake);
  if (!made.ok()) {
    return Status(Code::kIo, fmt::format("cannot create the folder '{}': {}", parent,
                                         made.status().message()));
  }
  const auto is_a_folder = [&] {
    return Status(Code::kIo, fmt::format("'{}' is a folder, not a file", path.string()));
  };
  if (!path.has_filename()) return is_a_folder();
  const Result<FilePlace> place = FilePlace::FindIn(*made, parent, path.filename().string());
  if (!place.ok()) {
    if (fs::is_directory(path, error)) return is_a_folder();
    // A path that cannot be examined counts as existing; a free name is found next to it.
    if (old_file == OldFile::kIsKept && CanMakeFilesIn(made->get())) return path.string();
    return Status(Code::kIo,
                  fmt::format("cannot examine '{}': {}", path.string(), place.status().message()));
  }
  if (place->found() && S_ISDIR(place->found()->st_mode)) return is_a_folder();
  int folder = place->folder();
  std::string folder_path = place->folder_path();
  if (place->found() || place->descriptor()) {
    const bool regular = !place->descriptor() && S_ISREG(place->found()->st_mode);
    if (place->found()) {
      // Now, as at the end there would be no place for the profile.
      if (const Status usable = CheckKind(*place->found(), FileKind::kStream); !usable.ok())
        return Status(Code::kIo,
                      fmt::format("cannot write '{}': {}", path.string(), usable.message()));
    }
    const bool written = !regular || old_file == OldFile::kIsWritten;
    if (written && faccessat(folder, place->name().c_str(), W_OK, 0) != 0) {
      return Status(Code::kIo, fmt::format("cannot write '{}': {}", path.string(),
                                           std::generic_category().message(errno)));
    }
    // A device or a pipe such as /dev/null is written as it is; its folder may be read-only.
    if (!regular) return path.string();
    // An existing file is replaced in its own folder, even if the path is a link to it. A new file
    // is created where the path says.
    if (!written) {
      folder = made->get();
      folder_path = parent;
    }
  }
  if (!CanMakeFilesIn(folder)) {
    return Status(Code::kIo, fmt::format("cannot write into the folder '{}': {}", folder_path,
                                         std::generic_category().message(errno)));
  }
  return path.string();
}

bool LeadToOneFile(const std::string& a, const std::string& b) {
  const Result<FilePlace> place_a = FilePlace::Find(a);
  const Result<FilePlace> place_b = FilePlace::Find(b);
  if (!place_a.ok() || !place_b.ok() || place_a->name() != place_b->name()) return false;
  struct stat folder_a {};
  struct stat folder_b {};
  return fstat(place_a->folder(), &folder_a) == 0 && fstat(place_b->folder(), &folder_b) == 0 &&
         folder_a.st_dev == folder_b.st_dev && folder_a.st_ino == folder_b.st_ino;
}

std::string RawPathBeside(const std::string& out_path) {
  constexpr std::string_view kSuffix = ".iraw";
  if (!HasNeighbours(out_path)) return {};
  std::string path = out_path;
  for (const std::string_view known : {".gz", ".iprof"}) {
    const size_t name = path.rfind('/') + 1;
    if (path.size() - name > known.size() && path.ends_with(known))
      path.resize(path.size() - known.size());
  }
  return path.append(kSuffix);
}

std::string NumberedName(std::string_view path, int64_t number) {
  const size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  size_t suffix = path.size();
  for (std::string_view known : {".iprof", ".iprof.gz"}) {
    if (path.size() - name > known.size() && path.ends_with(known))
      suffix = path.size() - known.size();
  }
  if (suffix == path.size()) {
    const size_t dot = path.rfind('.');
    if (dot != std::string_view::npos && dot > name) suffix = dot;
  }
  return fmt::format("{}.{}{}", path.substr(0, suffix), number, path.substr(suffix));
}

Result<std::string> ReserveUnusedName(const std::string& path) {
  constexpr int64_t kLastNumber = 9'999'999;
  const size_t name_begin = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string parent = path.substr(0, name_begin);
  const Result<OwnedFd> folder = FilePlace::FindFolder(parent, MissingFolders::kFail);
  if (!folder.ok()) {
    return Status(Code::kIo,
                  fmt::format("cannot create '{}': {}", path, folder.status().message()));
  }
  for (int64_t number = 0; number <= kLastNumber; ++number) {
    const std::string name = number == 0 ? path : NumberedName(path, number);
    const Result<OwnedFd> file =
        OpenFile(folder->get(), name.substr(name_begin), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                 FileKind::kRegular, 0600);
    if (file.ok()) return name;
    if (errno != EEXIST) {
      return Status(Code::kIo, fmt::format("cannot create '{}': {}", name,
                                           std::generic_category().message(errno)));
    }
  }
  return Status(Code::kLimit,
                fmt::format("all names from '{}' to number {} are taken", path, kLastNumber));
}

}  // namespace iprof::vm
