// A ClassInstrumenter for tests.
//
// Guarantees: its holders are named "H0", "H1" …, and all chunks are ready. Threads: one. Failure:
// as ClassInstrumenter.
#pragma once

#include <cstdint>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/instrument/class_instrumenter.h"

namespace iprof::instrument {

using Bytes = std::vector<uint8_t>;

inline uint64_t NoLiveFrames(const MethodKey&) { return 0; }

inline InstrumenterOptions Placed(PlacementPolicy placement) {
  InstrumenterOptions options;
  options.placement = placement;
  return options;
}

// An instrumenter with the given number of chunks, all ready.
struct Instrumenter {
  CounterSpace space;
  ClassInstrumenter instrumenter;
  AddedCounts added;  // set by Assembled

  explicit Instrumenter(InstrumenterOptions options = {}, uint32_t chunks = 4)
      : instrumenter(options, space, [](uint32_t chunk) { return "H" + std::to_string(chunk); }) {
    space.Configure(chunks, [] {});
    space.SetReady(chunks);
  }

  // Returns the new bytes; empty if unchanged.
  Bytes Run(const Bytes& input, std::string_view name = "") {
    Bytes result;
    instrumenter.Instrument({name, input}, [&](size_t size) {
      result.resize(size);
      return result.data();
    });
    return result;
  }

  uint64_t counters() const { return space.statistics().counters; }

  // Whether a part of the report matches the pattern.
  bool Reports(const std::string& pattern) const {
    const std::string report = instrumenter.Summary(added) + instrumenter.Report(added);
    return std::regex_search(report, std::regex(pattern));
  }
};

inline Profile Assembled(Instrumenter& made, const std::vector<uint64_t>& counters) {
  Profile profile;
  made.added = made.instrumenter.AddTo(counters, TypeCounts(), NoLiveFrames, profile);
  return profile;
}

}  // namespace iprof::instrument
