#include "agent/vm/session/raw_place.h"

#include <fmt/format.h>

#include <utility>

#include "agent/vm/settings/out_path.h"

namespace iprof::vm {

RawPlace PlaceRaw(const Options& options, const std::string& asked, const std::string& profile) {
  if (options.snapshot.ns == 0) return {.path = {}, .why_none = "snapshot=0"};
  if (options.Freezes()) {
    return {.path = {},
            .why_none = fmt::format("it would lack the estimates of {}=; 'iprof dump' now and then "
                                    "saves what a kill would lose",
                                    options.count_until > 0 ? "count-until" : "overhead")};
  }
  std::string path = asked.empty() ? RawPathBeside(profile) : asked;
  if (path.empty()) {
    return {.path = {},
            .why_none = "the profile goes to a device or a pipe; raw=FILE gives it a place"};
  }
  return {.path = std::move(path), .why_none = {}};
}

}  // namespace iprof::vm
