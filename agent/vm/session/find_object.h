// FindObject: finds the loaded library that contains an address, for the stack unwinder of C++
// exceptions.
//
// Why: libgcc's unwinder, which is linked into the agent, calls _dl_find_object if the build
// machine's glibc has it. The agent would then need glibc 2.35. unwinder_seam.cc gives the unwinder
// this function instead, which works with every glibc.
//
// Guarantees: gives the same result as _dl_find_object, by walking the list of loaded libraries.
// That is slower, which matters only to programs that throw often. Allocates nothing, throws
// nothing.
// Threads: any. Takes the loader's lock, as unwinders did before glibc 2.35.
// Failure: returns -1.
#pragma once

#include <dlfcn.h>

// _dl_find_object exists since glibc 2.35, so with an older one the unwinder does not call it. On
// the few architectures where the unwinder needs more fields, it calls glibc.
#if defined(DLFO_EH_SEGMENT_TYPE) && !DLFO_STRUCT_HAS_EH_DBASE && !DLFO_STRUCT_HAS_EH_COUNT
#define IPROF_UNWINDER_FINDS_OBJECTS 1

namespace iprof::vm {

// Returns 0, or -1 if no library contains the address.
int FindObject(const void* address, dl_find_object* result) noexcept;

}  // namespace iprof::vm
#endif
