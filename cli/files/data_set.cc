#include "cli/files/data_set.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/files/profile_files.h"
#include "cli/files/same_run.h"
#include "cli/terminal/progress.h"
#include "cli/views/parquet/profile_rows.h"
#include "writer/base/open_file.h"
#include "writer/base/utc_time.h"
#include "writer/ops/merge.h"
#include "writer/ops/merge_warnings.h"

namespace iprof::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".parquet";
constexpr std::string_view kUnknown = "__HIVE_DEFAULT_PARTITION__";
constexpr size_t kMostNameBytes = 200;

// "release=1%2F7"
std::string Partition(std::string_view column, std::string_view value) {
  constexpr std::string_view kSpecial = "\"#%'*/:=?\\{}[]^";
  std::string text = fmt::format("{}=", column);
  if (value.empty()) return text.append(kUnknown);
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f || kSpecial.find(c) != std::string_view::npos) {
      text += fmt::format("%{:02X}", byte);
    } else {
      text += c;
    }
  }
  return text;
}

Result<Profile> ReadRows(const std::string& path) {
  const auto fail = [&](std::string_view why) {
    return Status(Code::kIo, fmt::format("{}: cannot open: {}", path, why));
  };
  Result<OwnedFd> opened = OpenFile(path, O_RDONLY, FileKind::kRegular);
  if (!opened.ok()) return fail(opened.status().message());
  struct stat info {};
  if (fstat(opened->get(), &info) != 0) return fail(std::strerror(errno));
  const int fd = opened->get();
  const auto read = [fd](uint64_t at, char* into, size_t count) {
    while (count > 0) {
      const ssize_t got = pread(fd, into, count, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      into += got;
      at += static_cast<uint64_t>(got);
      count -= static_cast<size_t>(got);
    }
    return true;
  };
  return parquet::ReadProfileRows({static_cast<uint64_t>(info.st_size), read}, path);
}

Result<std::vector<MergeInput>> FilesOf(const std::string& path) {
  std::error_code error;
  std::vector<MergeInput> files;
  if (!fs::is_directory(path, error)) {
    files.push_back({path, 1});
    return files;
  }
  fs::recursive_directory_iterator at(path, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    const std::string name = at->path().filename().string();
    // A name with a '.' or '_' in front is of a file that is being written, or of an engine's own.
    if (name.ends_with(kSuffix) && !name.starts_with('.') && !name.starts_with('_') &&
        at->is_regular_file(ignored))
      files.push_back({.path = at->path().string(), .weight = 1, .is_found = true});
  }
  if (error) return Status(Code::kIo, fmt::format("{}: cannot read: {}", path, error.message()));
  if (files.empty())
    return Status(Code::kBadInput, fmt::format("no *.parquet is in {} or below", path));
  std::ranges::sort(files, {}, &MergeInput::path);
  return files;
}

}  // namespace

void DataSetOptions::AddTo(OptionList& options) {
  service_row_ =
      options
          .Add("--service", service_, "Of a data set: which service it is (default: the program)")
          .Takes("NAME");
  release_row_ =
      options.Add("--release", release_, "Of a data set: which release of it").Takes("NAME");
  host_row_ = options.Add("--host", host_, "Of a data set: where it ran").Takes("NAME");
}

Result<DataSetOptions::Written> DataSetOptions::Write(Console& console, const Profile& profile,
                                                      const std::string& folder,
                                                      Readers readers) const {
  const parquet::RunFacts run = parquet::RunFacts::Of(profile);
  const std::string day = run.start_ms > 0 ? UtcText(run.start_ms).substr(0, 10) : "";
  fs::path place = folder;
  for (const std::string& name :
       {Partition("service", service_row_.given() ? service_ : run.program),
        Partition("release", release_), Partition("day", day)}) {
    if (name.size() > kMostNameBytes)
      return Status(Code::kUsage, fmt::format("'{}' is too long for the name of a folder", name));
    place /= name;
  }
  std::error_code error;
  fs::create_directories(place, error);
  if (error)
    return Status(Code::kIo, fmt::format("{}: cannot create: {}", place.string(), error.message()));
  Written written{(place / run.run).string() + std::string(kSuffix), 0};
  const auto write = [&](ByteSink& sink) {
    const parquet::RowsWritten rows = WriteProfileRows(profile, run, host_, sink);
    written.rows = rows.rows;
    return rows.status;
  };
  const Status status = WriteOutput(console, written.path, false, write, readers);
  if (!status.ok()) return status;
  return written;
}

Result<DataSet> ReadDataSet(Console& console, const std::string& path) {
  const Result<std::vector<MergeInput>> files = FilesOf(path);
  if (!files.ok()) return files.status();
  Progress progress(console, fmt::format("merging {} files", files->size()));
  SameRuns same_runs;
  MergeOptions options;
  options.read = ReadRows;
  options.choose = [&](std::span<const InputRuns> runs) {
    same_runs = FindSameRuns(*files, runs);
    std::vector<size_t> excluded;
    for (const SameRuns::LeftOut& out : same_runs.left_out) excluded.push_back(out.input);
    return excluded;
  };
  options.on_progress = [&](size_t done, size_t total) { progress.Update(done, total, "files"); };
  Result<MergeResult> merged = MergeFiles(*files, options);
  if (!merged.ok()) return merged.status();
  for (const SameRuns::LeftOut& out : same_runs.left_out)
    console.Warn(fmt::format("{} is left out: {}", (*files)[out.input].path, out.why));
  for (const std::string& warning : WarningsOf(*merged, options.preferred)) console.Warn(warning);
  DataSet set{std::move(merged->profile), files->size(), Readers::kByUmask};
  for (const MergeInput& file : *files) set.readers = std::max(set.readers, ReadersOf(file.path));
  return set;
}

}  // namespace iprof::cli
