#include "agent/vm/session/dump/raw_place.h"

#include <fmt/core.h>

#include <utility>

#include "agent/settings/out_path.h"

namespace iprof::vm {

RawPlace PlaceRaw(const Options& options, const std::string& asked, const std::string& profile) {
  if (options.snapshot.ns == 0) return {.path = {}, .why_none = "snapshot=0"};
  std::string path = asked.empty() ? RawPathBeside(profile) : asked;
  if (path.empty()) {
    return {.path = {},
            .why_none = "the profile goes to a device or a pipe; raw=FILE gives it a place"};
  }
  return {.path = std::move(path), .why_none = {}};
}

std::string RawNotice(const std::string& path) {
  return fmt::format(
      "what was recorded is in the raw file; 'iprof recover {} -o FILE' makes the profile", path);
}

}  // namespace iprof::vm
