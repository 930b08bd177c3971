// MakeImageProfile: a profile without what an image build cannot use.
//
// What is left out, and why, is in image_use.h and docs/image.md: machinery that only a JVM runs,
// methods that the image does not have, positions in methods that it replaces. Contexts are cut at
// such methods, and each branch gets one triple for each target.
//
// Guarantees:
//  - Entries that become one by cutting are added up; what is kept has its counts unchanged. The
//    order of types, methods and entries stays, and their file ids.
//  - Types and methods that only left-out entries named are left out with them where they are
//    machinery's or no image has them; all others stay.
//  - Extra keys stay; the note (image_note.h) says that this was done, unless the profile's section
//    "iprofagent" is one that we cannot read (agent_section.h). Older keys of ours move into the
//    section. Doing it again changes nothing.
//  - The input is not changed. Memory: at most as much as the input takes, once more.
//  - Pure; out of memory throws std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "writer/image/image_share.h"
#include "writer/image/image_target.h"
#include "writer/model/model.h"

namespace iprof {

struct ImageProfile {
  Profile profile;
  ImageShare share;
  size_t contexts_cut = 0;  // of entries that stay
  size_t methods_left_out = 0;
  size_t types_left_out = 0;
};

ImageProfile MakeImageProfile(const Profile& from, ImageTarget target);

}  // namespace iprof
