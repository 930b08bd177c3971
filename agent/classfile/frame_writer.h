// Writes the StackMapTable of a rewritten method.
//
// Guarantees: one frame for each original frame at its instruction's new label, in the form that it
// had where nothing but distances changed; one for each trampoline and stub whose target has a
// frame, equal to it; one behind each inverted branch; one at the catch-all handler. Frames come in
// ascending order of position.
#pragma once

#include "agent/classfile/frames.h"
#include "agent/classfile/layout.h"

namespace iprof::classfile {

Reason WriteFrames(MethodEditor& editor, const FrameTable& frames, const Layout& layout,
                   bool catch_all_frame, ByteBuffer& out);

}  // namespace iprof::classfile
