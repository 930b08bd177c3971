#include "cli/files/replaced_inputs.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "cli/files/profile_files.h"

namespace iprof::cli {
namespace {

using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> RegularFile(const std::string& path, bool may_be_stdin) {
  struct stat info {};
  const bool is_stdin = may_be_stdin && path == "-";
  const int error = is_stdin ? fstat(STDIN_FILENO, &info) : stat(path.c_str(), &info);
  if (error != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return FileId(info.st_dev, info.st_ino);
}

}  // namespace

Status CheckReplacesNone(const std::string& output, std::span<const std::string> inputs,
                         std::string_view made) {
  if (output.empty() || output == "-") return {};
  const auto replaced = RegularFile(output, false);
  if (!replaced) return {};
  for (const std::string& input : inputs) {
    if (input.empty() || RegularFile(input, true) != replaced) continue;
    const std::string what =
        input == output ? "an input" : fmt::format("the same file as {}", NameOfInput(input));
    return {Code::kUsage, fmt::format("{0} is {1}, which the {2} would replace: give the {2} "
                                      "another name",
                                      output, what, made)};
  }
  return {};
}

}  // namespace iprof::cli
