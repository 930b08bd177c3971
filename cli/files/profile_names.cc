#include "cli/files/profile_names.h"

#include <fmt/core.h>

#include <filesystem>

#include "writer/records/raw/raw_format.h"

namespace iprof::cli {
namespace {

constexpr std::string_view kSuffixes[] = {".iprof.gz", ".iprof", kRawSuffix};

}  // namespace

bool HasProfileName(std::string_view path) {
  return WithoutProfileSuffix(path).size() < path.size();
}

std::string WithoutProfileSuffix(std::string_view path) {
  for (const std::string_view suffix : kSuffixes) {
    if (path.ends_with(suffix)) return std::string(path.substr(0, path.size() - suffix.size()));
  }
  return std::string(path);
}

Result<std::string> OutputBeside(const std::string& input, std::string_view suffix,
                                 std::string_view made) {
  if (input == "-")
    return Status(Code::kUsage,
                  fmt::format("standard input has no name: say with -o where the {} goes", made));
  // "app.iprof.old" is named as app.iprof.
  const std::string shorter = input.substr(0, input.rfind('.'));
  std::string output =
      WithoutProfileSuffix(HasProfileName(shorter) ? shorter : input) + std::string(suffix);
  std::error_code not_there;
  if (!std::filesystem::exists(std::filesystem::symlink_status(output, not_there))) return output;
  return Status(
      Code::kUsage,
      fmt::format(
          "{0} is there already: '-o {0}' replaces it, and with another name after -o it stays",
          output));
}

}  // namespace iprof::cli
