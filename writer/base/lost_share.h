// The largest share of a site's objects whose class may be unknown, for the site to be in a profile. An image build takes
// the listed classes for all that there are, so a site with a larger rest would mislead it.
//
// A harvest may miss more: HotSpot lists two classes a site, so a site with one frequent class and many rare ones
// always has a rest, and without it the build could not call the frequent one directly. Example: of 100 objects at a call 80
// are Circles, 9 are Squares and 11 have other classes. With 2 % the site is left out; with 20 % it is kept.
//
// Guarantees: constants. Threads: any. Failure: none.
#pragma once

#include <cstdint>

namespace iprof {

inline constexpr int64_t kMostLostPercent = 2;          // of what the agent counts
inline constexpr int64_t kMostLostPercentHarvest = 20;  // of what HotSpot counts
inline constexpr int64_t kMostLostPermilleHarvest = kMostLostPercentHarvest * 10;

inline constexpr double kMostLost = kMostLostPercent / 100.0;
inline constexpr double kMostLostHarvest = kMostLostPercentHarvest / 100.0;

}  // namespace iprof
