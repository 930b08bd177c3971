// FindObject: which loaded library an address is in, for the stack unwinder of C++ exceptions.
//
// Why: libgcc's unwinder, which is linked into the agent, calls _dl_find_object where the build machine's
// glibc has it. The agent would then need glibc 2.35. unwinder_seam.cc gives the unwinder this function
// instead, which works with every glibc.
//
// Guarantees: the same answer as _dl_find_object, by walking the list of loaded libraries: slower, which
// only matters to programs that throw often. Any thread. Takes the loader's lock, as unwinders did before
// glibc 2.35. Allocates nothing, throws nothing.
#pragma once

#include <dlfcn.h>

// Since glibc 2.35; an older one has no such unwinder, either. On the few machines where the unwinder
// asks for more, it asks glibc.
#if defined(DLFO_EH_SEGMENT_TYPE) && !DLFO_STRUCT_HAS_EH_DBASE && !DLFO_STRUCT_HAS_EH_COUNT
#define IPROF_UNWINDER_FINDS_OBJECTS 1

namespace iprof::vm {

// 0, or -1 where no library has the address.
int FindObject(const void* address, dl_find_object* result) noexcept;

}  // namespace iprof::vm
#endif
