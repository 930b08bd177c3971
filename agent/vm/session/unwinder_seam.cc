// Linked into the agent together with libgcc's unwinder, which calls this function by name: see
// find_object.h.
#include "agent/vm/session/find_object.h"

#ifdef IPROF_UNWINDER_FINDS_OBJECTS
extern "C" int _dl_find_object(void* address, dl_find_object* result) noexcept {
  return iprof::vm::FindObject(address, result);
}
#endif
