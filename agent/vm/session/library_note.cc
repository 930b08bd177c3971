#include "agent/vm/session/library_note.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace iprof::vm {
namespace {

constexpr char kOwner[] = "iprofagent";

// An ELF note without a description: owner's length, description's length, type, owner padded to
// four bytes.
struct Note {
  uint32_t owner_size;
  uint32_t contents_size;
  uint32_t type;
  char owner[12];
};

__attribute__((section(".note.iprofagent"), used, aligned(4)))
const Note kNote = {sizeof kOwner, 0, 1, "iprofagent"};

bool HoldsNote(const char* at, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, at, sizeof header);
    const size_t owner = (size_t{header.n_namesz} + 3) & ~size_t{3};
    const size_t contents = (size_t{header.n_descsz} + 3) & ~size_t{3};
    const size_t whole = sizeof header + owner + contents;
    if (whole > size) return false;
    if (header.n_namesz == sizeof kOwner &&
        std::memcmp(at + sizeof header, kOwner, sizeof kOwner) == 0)
      return true;
    at += whole;
    size -= whole;
  }
  return false;
}

int CountOne(dl_phdr_info* info, size_t /*size*/, void* count) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE || segment.p_align > 4) continue;
    if (HoldsNote(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr),
                  segment.p_memsz)) {
      ++*static_cast<int*>(count);
      break;
    }
  }
  return 0;
}

}  // namespace

int CopiesOfThisLibrary() {
  int count = 0;
  dl_iterate_phdr(CountOne, &count);
  return count;
}

}  // namespace iprof::vm
