#include "cli/files/merge_inputs.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "cli/files/profile_files.h"
#include "cli/files/profile_names.h"
#include "cli/files/raw_input.h"
#include "writer/base/join_text.h"
#include "writer/base/open_file.h"
#include "writer/records/raw/raw_format.h"

namespace iprof::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostListBytes = size_t{1} << 30;

// Files that are inputs already; a name may be a link.
using Files = std::set<std::pair<dev_t, ino_t>>;

std::optional<Files::value_type> FileOf(const std::string& path) {
  struct stat info {};
  if (path == "-" || stat(path.c_str(), &info) != 0) return std::nullopt;
  return std::pair(info.st_dev, info.st_ino);
}

Status ReadList(const std::string& path, std::vector<MergeInput>& inputs) {
  const InputFile file(path);
  if (Status status = file.status(); !status.ok())
    return Status(status.code(), "--input-list " + status.message());
  std::string text;
  if (!ReadAll(file.fd(), kMostListBytes, text)) {
    return Status(Code::kIo,
                  fmt::format("--input-list {}: cannot read: {}", path, std::strerror(errno)));
  }
  std::istringstream in(text);
  std::string line;
  for (size_t number = 1; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const size_t comma = line.find(',');
    const bool weighted =
        comma != std::string::npos && comma > 0 && line.find_first_not_of("0123456789") == comma;
    if (!weighted) {
      inputs.push_back({line, 1});
      continue;
    }
    const Result<MergeInput> input = ParseWeighted(line);
    if (!input.ok()) {
      return Status(Code::kUsage, fmt::format("{}, line {}: {}", NameOfInput(path), number,
                                              input.status().message()));
    }
    inputs.push_back(*input);
  }
  return {};
}

// Adds what it takes to `taken`, and a folder without any to `empty`.
Status ReadFolder(const std::string& folder, const std::string& output, Files& taken,
                  std::vector<MergeInput>& inputs, std::vector<std::string>& empty) {
  std::error_code error;
  // Links come last, so that messages name the files themselves.
  std::vector<std::pair<bool, std::string>> found;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    const fs::path& path = at->path();
    if (!HasProfileName(path.filename().string()) || !at->is_regular_file(ignored)) continue;
    if (output != "-" && fs::equivalent(path, output, ignored)) continue;
    found.emplace_back(at->is_symlink(ignored), path.string());
  }
  if (error) {
    return Status(Code::kIo,
                  fmt::format("--input-dir {}: cannot read: {}", folder, error.message()));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto& [is_link, path] : found) {
    const auto file = FileOf(path);
    if (!file || taken.insert(*file).second) paths.push_back(std::move(path));
  }
  std::sort(paths.begin(), paths.end());
  if (found.empty()) empty.push_back(folder);
  for (std::string& path : paths)
    inputs.push_back({.path = std::move(path), .weight = 1, .is_found = true});
  return {};
}

}  // namespace

Result<MergeInput> ParseWeighted(const std::string& text) {
  MergeInput input;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, input.weight);
  if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != ',' || input.weight < 1 ||
      parsed.ptr + 1 == end) {
    return Status(Code::kUsage,
                  fmt::format("'{}' is not a weighted input: N,FILE, with N of at least 1", text));
  }
  input.path = std::string(parsed.ptr + 1, end);
  return input;
}

Result<std::vector<MergeInput>> GatherInputs(const MergeSources& sources,
                                             const std::string& output) {
  std::vector<MergeInput> inputs;
  for (const std::string& path : sources.files) inputs.push_back({path, 1});
  for (const std::string& text : sources.weighted) {
    const Result<MergeInput> input = ParseWeighted(text);
    if (!input.ok()) return Status(Code::kUsage, "-w " + input.status().message());
    inputs.push_back(*input);
  }
  for (const std::string& path : sources.lists) {
    if (Status status = ReadList(path, inputs); !status.ok()) return status;
  }
  Files taken;
  std::vector<std::string> empty;
  for (const MergeInput& input : inputs) {
    if (const auto file = FileOf(input.path)) taken.insert(*file);
  }
  for (const std::string& folder : sources.folders) {
    if (Status status = ReadFolder(folder, output, taken, inputs, empty); !status.ok())
      return status;
  }
  const auto from_stdin = std::count_if(inputs.begin(), inputs.end(),
                                        [](const MergeInput& i) { return i.path == "-"; });
  const auto lists_from_stdin = std::count(sources.lists.begin(), sources.lists.end(), "-");
  if (from_stdin + lists_from_stdin > 1) {
    return Status(Code::kUsage, "standard input ('-') can be read only once");
  }
  if (inputs.empty() && !empty.empty()) {
    return Status(Code::kUsage, fmt::format("--input-dir {}: no *.iprof, *.iprof.gz or *.iraw is "
                                            "in {} or below, so there is nothing to merge",
                                            JoinText(empty, ", "),
                                            empty.size() == 1 ? "this folder" : "these folders"));
  }
  if (inputs.empty())
    return Status(Code::kUsage,
                  "no inputs: nothing to merge; name profiles, as in 'iprof merge -o all.iprof "
                  "run1.iprof run2.iprof'");
  return inputs;
}

}  // namespace iprof::cli
