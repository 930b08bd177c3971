// ImageTarget: the GraalVM release that builds the image, named by its JDK version.
//
// Guarantees: pure. Threads: any. Failure: none; an unknown JDK gets the closest release.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace iprof {

enum class ImageTarget : uint8_t { k17, k21, k23, k24, k25 };
inline constexpr ImageTarget kImageTargets[] = {
    ImageTarget::k17, ImageTarget::k21, ImageTarget::k23, ImageTarget::k24, ImageTarget::k25};
inline constexpr ImageTarget kNewestImageTarget = ImageTarget::k25;

int JdkOf(ImageTarget target);
// The release for that JDK, or the closest known one: 17 for 20, because they share code, and for
// all below; 23 for 22; the newest for later JDKs and for 0, which is not a JDK.
ImageTarget ImageTargetForJdk(int jdk);

// A set of targets, one bit each.
using ImageTargets = uint8_t;
inline constexpr ImageTargets kAllImageTargets = 0x1f;
constexpr ImageTargets BitOf(ImageTarget target) {
  return static_cast<ImageTargets>(1U << static_cast<unsigned>(target));
}

}  // namespace iprof
