// WriteProfileFacts: what a report says of a profile as a whole: the run, totals, the hot set, exactness, what was left out, and how
// much an image build can use. It is one member of "profiles" in report_data.h.
//
// Guarantees: only what the profile says; a part that cannot be read is left out.
// Threads: any; a pure function. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <vector>

#include "writer/profile/image/image_share.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/model.h"

namespace iprof {

// PackageFitness: how much of what a profile says about each package an image build can use.
//
// Guarantees: an entry belongs to the package of its innermost method, and is usable if MakeImageProfile
// (writer/profile/image/image_profile.h) would keep any part of it. Packages are ordered by weight: the largest of their shares of
// calls, branches, receivers and samples; then by name.
struct PackageFitness {
  std::string package;  // "(default)" for none
  double weight = 0;
  ImageShare share;
};

std::vector<PackageFitness> FitnessOfPackages(const Profile& profile, ImageTarget target);

// Packages beyond these are only counted.
inline constexpr size_t kMostPackages = 20;

void WriteProfileFacts(const std::string& file, const Profile& profile, JsonBuilder& json);

}  // namespace iprof
