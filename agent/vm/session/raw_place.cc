#include "agent/vm/session/raw_place.h"

#include <fmt/format.h>

#include <string_view>
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
  if (options.source == CountSource::kMethodData && !options.samples) {
    return {.path = {},
            .why_none =
                "it cannot have HotSpot's own counters, and with samples=n there is nothing "
                "else; 'iprof dump' now and then saves what a kill would lose"};
  }
  std::string path = asked.empty() ? RawPathBeside(profile) : asked;
  if (path.empty()) {
    return {.path = {},
            .why_none = "the profile goes to a device or a pipe; raw=FILE gives it a place"};
  }
  return {.path = std::move(path), .why_none = {}};
}

std::string RawNotice(const Options& options, const std::string& path) {
  const bool has_samples_only = options.source == CountSource::kMethodData;
  const std::string_view what = has_samples_only      ? "the samples are"
                                : !options.Harvests() ? "what was recorded is"
                                : options.samples     ? "what the agent counted and sampled is"
                                                      : "what the agent counted is";
  return fmt::format("{} in the raw file{}; 'iprof recover {} -o FILE' makes the profile", what,
                     options.Harvests() ? ", and HotSpot's own counts are lost" : "", path);
}

}  // namespace iprof::vm
