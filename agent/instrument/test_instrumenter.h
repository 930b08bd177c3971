// A ClassInstrumenter as tests want it.
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

// An instrumenter with as many chunks as it wants.
struct Instrumenter {
  CounterSpace space;
  ClassInstrumenter instrumenter;
  AddedCounts added;  // by Assembled

  explicit Instrumenter(InstrumenterOptions options = {}, uint32_t chunks = 4)
      : instrumenter(options, space, [](uint32_t chunk) { return "H" + std::to_string(chunk); }) {
    space.Configure(chunks, [] {});
    space.SetReady(chunks);
  }

  // Empty: unchanged.
  Bytes Run(const Bytes& input, std::string_view name = "") {
    Bytes result;
    instrumenter.Instrument({name, input}, [&](size_t size) {
      result.resize(size);
      return result.data();
    });
    return result;
  }

  uint64_t counters() const { return space.statistics().counters; }

  // Whether the report has such a line, or part of one.
  bool Reports(const std::string& pattern) const {
    return std::regex_search(instrumenter.Report(added), std::regex(pattern));
  }
};

inline Profile Assembled(Instrumenter& made, const std::vector<uint64_t>& counters) {
  Profile profile;
  made.added = made.instrumenter.AddTo(counters, TypeCounts(), NoLiveFrames, profile);
  return profile;
}

}  // namespace iprof::instrument
