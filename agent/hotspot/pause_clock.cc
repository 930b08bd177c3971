#include "agent/hotspot/pause_clock.h"

#include <algorithm>

namespace iprof::hotspot {
namespace {

// The layout of performance memory, on which jstat and others rely: a header, then entries. Offsets
// of their fields:
constexpr uint32_t kMagic = 0xcafec0c0;
constexpr uint64_t kFirstEntryAt = 24;  // in the header: u4
constexpr uint64_t kEntriesAt = 28;     // in the header: u4
constexpr uint64_t kNameAt = 4;         // in an entry: u4
constexpr uint64_t kDataAt = 16;        // in an entry: u4
constexpr uint32_t kMostEntries = 10'000;

}  // namespace

PauseClock::PauseClock(const VmStructs& structs) : memory_(structs.memory()) {
  const auto field = structs.StaticField("PerfMemory", "_start");
  const Address start = field ? memory_.Load<Address>(*field).value_or(0) : 0;
  if (start == 0) return;
  // The magic number is big-endian; everything else has the byte order of the machine.
  if (__builtin_bswap32(memory_.Load<uint32_t>(start).value_or(0)) != kMagic) return;
  const auto entries =
      std::min(memory_.Load<uint32_t>(start + kEntriesAt).value_or(0), kMostEntries);
  Address entry = start + memory_.Load<uint32_t>(start + kFirstEntryAt).value_or(0);
  Address ticks = 0;
  for (uint32_t i = 0; i < entries; ++i) {
    const auto length = memory_.Load<uint32_t>(entry).value_or(0);
    if (length == 0) break;
    const auto name = memory_.Text(entry + memory_.Load<uint32_t>(entry + kNameAt).value_or(0));
    const Address data = entry + memory_.Load<uint32_t>(entry + kDataAt).value_or(0);
    if (name == "sun.rt.safepointTime") ticks = data;
    if (name == "sun.os.hrt.frequency") frequency_hz_ = memory_.Load<int64_t>(data).value_or(0);
    entry += length;
  }
  if (frequency_hz_ > 0) ticks_ = ticks;
}

std::optional<std::chrono::nanoseconds> PauseClock::Total() const {
  if (ticks_ == 0) return std::nullopt;
  const auto ticks = memory_.Load<int64_t>(ticks_);
  if (!ticks) return std::nullopt;
  const auto seconds = static_cast<double>(*ticks) / static_cast<double>(frequency_hz_);
  return std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

}  // namespace iprof::hotspot
