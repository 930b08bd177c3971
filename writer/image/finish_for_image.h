// FinishForImage: the last step for every new profile, wherever its counts come from. It leaves out what
// an image build cannot use, unless that is not wanted, and notes in both cases for which build the
// profile is (image_note.h).
//
// Guarantees: pure. Without `filter`, nothing but the note is added, and the share is empty.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include "writer/image/image_profile.h"
#include "writer/image/image_target.h"
#include "writer/model/model.h"

namespace iprof {

ImageProfile FinishForImage(Profile profile, ImageTarget target, bool filter);

}  // namespace iprof
