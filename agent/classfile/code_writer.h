// Writes a rewritten method's bytecode and exception table from a finished layout.
//
// Guarantees: the size is exactly the layout's, and every offset fits its field.
// Threads: one per editor.
// Failure: returns the reason. A result that contradicts the layout (a bug in this room) is
// kInternal, and the method stays unchanged.
#pragma once

#include "agent/classfile/constructor.h"
#include "agent/classfile/layout.h"

namespace iprof::classfile {

Reason WriteCode(MethodEditor& editor, const Layout& layout, ByteBuffer& out);

// Writes the count and the entries. new_index[k] becomes the first new entry of the original entry
// k; type annotations that name entries need it.
Reason WriteExceptions(MethodEditor& editor, const Layout& layout, const BeforeSuper& before_super,
                       uint32_t* new_index, ByteBuffer& out);

}  // namespace iprof::classfile
