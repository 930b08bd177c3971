// PackageFitness: how much of what a profile says about each package an image build can use.
//
// Guarantees: an entry belongs to the package of its innermost method, and is usable if MakeImageProfile
// (writer/image/image_profile.h) would keep any part of it. Packages are ordered by weight: the largest of their shares of
// calls, branches, receivers and samples; then by name.
// Threads: any; a pure function. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <vector>

#include "writer/image/image_share.h"
#include "writer/model/model.h"

namespace iprof {

struct PackageFitness {
  std::string package;  // "(default)" for none
  double weight = 0;
  ImageShare share;
};

std::vector<PackageFitness> FitnessOfPackages(const Profile& profile, ImageTarget target);

}  // namespace iprof
