// MakeImageProfile: a profile without what an image build cannot use.
//
// It leaves out machinery that only a JVM runs, methods that the image does not have, and positions
// in methods that the image replaces; image_use.h and docs/image.md give the reasons. Contexts are
// cut at such methods, and each branch gets one triple for each target. Samples stay whole: they are cut
// when they are written (sample_split.h). Where the note cannot be added, they are cut here.
//
// Guarantees:
//  - Entries whose contexts become equal by cutting are added up; otherwise counts do not change.
//    Types, methods and entries keep their order, and types and methods their file ids.
//  - Types and methods that only left-out entries named are left out, too, if they are machinery or
//    no image has them; all others are kept.
//  - Extra keys are kept. The note (image_note.h) says that the profile was filtered, unless we
//    cannot read the profile's section "iprofagent" (agent_section.h). Our older keys move into the
//    section, and hashes of code stay with their methods. The note of estimates names only
//    methods whose calls are kept. Filtering a second time changes nothing.
//  - The input is not changed. Memory: at most as much again as the input takes.
//  - Pure.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "writer/profile/image/image_share.h"
#include "writer/profile/image/image_target.h"
#include "writer/profile/model.h"

namespace iprof {

struct ImageProfile {
  Profile profile;
  ImageShare share;
  size_t contexts_cut = 0;  // of entries that stay
  size_t methods_left_out = 0;
  size_t types_left_out = 0;
};

enum class SampleForm : uint8_t {
  kWhole,  // WriteForImage cuts the stacks
  kCut,    // for other formats
};
ImageProfile MakeImageProfile(const Profile& from, ImageTarget target,
                              SampleForm form = SampleForm::kWhole);

}  // namespace iprof
