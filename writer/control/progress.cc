#include "writer/control/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "writer/profile/io/json_object.h"

namespace iprof::control {
namespace {

constexpr std::array<std::string_view, 2> kSteps = {"classes", "profile"};

bool ReadStep(JsonScanner& json, Step* step) {
  std::string_view word;
  if (json.Peek() != '"' || !json.ReadString(&word)) return false;
  const auto* const found = std::find(kSteps.begin(), kSteps.end(), word);
  if (found == kSteps.end()) return false;
  *step = static_cast<Step>(found - kSteps.begin());
  return true;
}

bool ReadCount(JsonScanner& json, uint64_t* count) {
  int64_t value = 0;
  if (json.ReadInteger(&value) != JsonScanner::Number::kInteger || value < 0) return false;
  *count = static_cast<uint64_t>(value);
  return true;
}

}  // namespace

std::string FormatProgress(const Progress& progress) {
  return fmt::format(R"({{"step":"{}","done":{},"all":{}}})",
                     kSteps[static_cast<size_t>(progress.step)], progress.done, progress.all);
}

std::optional<Progress> ParseProgress(std::string_view json) {
  Progress progress;
  bool has_step = false;
  const bool well =
      ParseObject(json, "progress", [&](JsonScanner& scanner, const std::string& name) {
        if (name == "step") return has_step = ReadStep(scanner, &progress.step);
        if (name == "done") return ReadCount(scanner, &progress.done);
        if (name == "all") return ReadCount(scanner, &progress.all);
        return scanner.SkipValue();
      });
  return well && has_step ? std::optional(progress) : std::nullopt;
}

}  // namespace iprof::control
