// Recordings are read safely with any bytes, and what is made of them follows the format. The first byte chooses whether samples of
// native code are wanted; with an odd one, the rest comes twice, as two chunks.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "cli/jfr/recorded_profile.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/sampling_sum.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iprof;
  if (size == 0) return 0;
  std::vector<uint8_t> bytes(data + 1, data + size);
  if ((data[0] & 1) != 0) bytes.insert(bytes.end(), data + 1, data + size);
  jfr::RecordingFile file(std::move(bytes));
  const Result<jfr::RecordedProfile> made =
      jfr::ReadRecording(file, {.native = (data[0] & 2) != 0});
  if (!made.ok()) {
    Require(!made.status().message().empty());
    return 0;
  }
  const Profile& profile = made->profile;
  Require(made->figures.chunks > 0);
  // Every sample has a byte at least, and none weighs more than one if all periods are equal.
  Require(made->figures.samples <= static_cast<int64_t>(2 * size));
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples))
    Require(profile.EntryCount(Table::kSamples, entry) > 0);
  const auto sampling = AgentPart(profile, kSamplingPart);
  Require(sampling.has_value() == (made->figures.samples > 0));
  if (sampling) Require(SamplingSum::Parse(*sampling).has_value());
  if (const auto events = AgentPart(profile, kEventsPart))
    Require(ParseEvents(*events).has_value());
  return 0;
}
