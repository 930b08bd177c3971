// FinishForImage: the last step for every new profile, wherever its counts come from. It leaves out what
// an image build cannot use, unless that is not wanted; samples stay whole until they are written. In both
// cases it notes for which build the profile is (image_note.h), and writes the parts that depend on what is
// left: hashes of code (code_part.h) and notes on positions (position_part.h).
//
// Guarantees: pure. Without `filter`, nothing but these parts changes, and the share is empty.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include "writer/profile/image/image_profile.h"
#include "writer/profile/image/image_target.h"
#include "writer/profile/model.h"

namespace iprof {

ImageProfile FinishForImage(Profile profile, ImageTarget target, bool filter);

// The same for a profile into which was put only what an image build for the target can use. It must have
// no part that names methods which were left out, such as `estimates`.
void FinishFiltered(Profile& profile, ImageTarget target);

}  // namespace iprof
