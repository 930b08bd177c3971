#include "agent/vm/session/find_object.h"

#ifdef IPROF_UNWINDER_FINDS_OBJECTS
#include <link.h>

#include <cstdint>

namespace iprof::vm {
namespace {

struct Search {
  uintptr_t address;
  dl_find_object* result;
};

int LookAt(dl_phdr_info* object, size_t /*size*/, void* data) {
  const auto* search = static_cast<const Search*>(data);
  uintptr_t low = UINTPTR_MAX;
  uintptr_t high = 0;
  uintptr_t unwind_table = 0;
  bool found = false;
  for (const ElfW(Phdr)* segment = object->dlpi_phdr;
       segment != object->dlpi_phdr + object->dlpi_phnum; ++segment) {
    const uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == DLFO_EH_SEGMENT_TYPE) unwind_table = begin;
    if (segment->p_type != PT_LOAD) continue;
    const uintptr_t end = begin + segment->p_memsz;
    found = found || (begin <= search->address && search->address < end);
    low = low < begin ? low : begin;
    high = high > end ? high : end;
  }
  if (!found) return 0;
  dl_find_object& result = *search->result;
  result = {};
  result.dlfo_map_start = reinterpret_cast<void*>(low);
  result.dlfo_map_end = reinterpret_cast<void*>(high);
  result.dlfo_eh_frame = reinterpret_cast<void*>(unwind_table);
  return 1;
}

}  // namespace

int FindObject(const void* address, dl_find_object* result) noexcept {
  Search search{reinterpret_cast<uintptr_t>(address), result};
  return dl_iterate_phdr(LookAt, &search) == 1 ? 0 : -1;
}

}  // namespace iprof::vm
#endif
