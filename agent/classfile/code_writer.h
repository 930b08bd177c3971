// Writes a rewritten method's bytecode and exception table from a finished layout.
//
// Guarantees: what is written has exactly the layout's size, every offset fits its field; a
// disagreement (a bug of ours) gives kInternal and the method is left alone.
#pragma once

#include "agent/classfile/constructor.h"
#include "agent/classfile/layout.h"

namespace iprof::classfile {

Reason WriteCode(MethodEditor& editor, const Layout& layout, ByteBuffer& out);

// Writes the count and the entries. new_index[k] becomes the first new entry of original entry k
// (for the type annotations that name entries).
Reason WriteExceptions(MethodEditor& editor, const Layout& layout, const BeforeSuper& before_super,
                       uint32_t* new_index, ByteBuffer& out);

}  // namespace iprof::classfile
