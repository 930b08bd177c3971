// Writes the StackMapTable of a rewritten method.
//
// Guarantees: there is one frame for each original frame, at its instruction's new label, and it
// keeps its form unless more than the distance changed. Each trampoline and stub whose target has a
// frame gets an equal frame. There is one frame after each inverted branch, and one at the
// catch-all handler. Frames are in ascending order of position.
// Threads: one per editor. Failure: returns the reason.
#pragma once

#include "agent/classfile/frames.h"
#include "agent/classfile/layout.h"

namespace iprof::classfile {

Reason WriteFrames(MethodEditor& editor, const FrameTable& frames, const Layout& layout,
                   bool catch_all_frame, ByteBuffer& out);

}  // namespace iprof::classfile
