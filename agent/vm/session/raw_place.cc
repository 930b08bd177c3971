#include "agent/vm/session/raw_place.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "agent/vm/settings/out_path.h"

namespace iprof::vm {
namespace {

// Why a raw file would lack something; empty: it would not, or the user wants it all the same.
std::string WhyPartial(const Options& options, bool asks_for_raw) {
  if (options.Freezes()) {
    return fmt::format("a raw file would lack the estimates of {}=",
                       options.count_until > 0 ? "count-until" : "overhead");
  }
  const bool wants_raw = options.samples && (asks_for_raw || options.keep_raw);
  if (options.source == CountSource::kMethodData && !wants_raw)
    return "a raw file would lack HotSpot's own counters";
  return {};
}

}  // namespace

RawPlace PlaceRaw(const Options& options, const std::string& asked, const std::string& profile) {
  if (options.snapshot.ns == 0) return {.path = {}, .why_none = "snapshot=0"};
  if (const std::string why = WhyPartial(options, !asked.empty()); !why.empty()) {
    std::string path = PartialPathBeside(profile);
    if (path.empty()) {
      return {.path = {},
              .why_none =
                  "the profile goes to a device or a pipe, which has no place beside it for "
                  "a partial profile"};
    }
    return {.path = std::move(path), .why_none = {}, .why_partial = why};
  }
  std::string path = asked.empty() ? RawPathBeside(profile) : asked;
  if (path.empty()) {
    return {.path = {},
            .why_none = "the profile goes to a device or a pipe; raw=FILE gives it a place"};
  }
  return {.path = std::move(path), .why_none = {}};
}

std::string RawNotice(const Options& options, const std::string& path) {
  if (!WhyPartial(options, !options.raw.empty()).empty()) {
    return fmt::format(
        "what was recorded up to the last partial profile is in that; 'iprof recover {} -o FILE' "
        "makes the profile",
        path);
  }
  const bool has_samples_only = options.source == CountSource::kMethodData;
  const std::string_view what = has_samples_only      ? "the samples are"
                                : !options.Harvests() ? "what was recorded is"
                                : options.samples     ? "what the agent counted and sampled is"
                                                      : "what the agent counted is";
  return fmt::format("{} in the raw file{}; 'iprof recover {} -o FILE' makes the profile", what,
                     options.Harvests() ? ", and HotSpot's own counts are lost" : "", path);
}

}  // namespace iprof::vm
