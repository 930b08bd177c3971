#include "writer/profile/image/image_target.h"

#include <array>

namespace iprof {

int JdkOf(ImageTarget target) {
  constexpr std::array kJdks{17, 21, 23, 24, 25};
  return kJdks[static_cast<size_t>(target)];
}

ImageTarget ImageTargetForJdk(int jdk) {
  if (jdk <= 0) return kNewestImageTarget;
  if (jdk <= 20) return ImageTarget::k17;
  for (const ImageTarget target : kImageTargets) {
    if (JdkOf(target) >= jdk) return target;
  }
  return kNewestImageTarget;
}

}  // namespace iprof
