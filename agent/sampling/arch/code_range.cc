// Runs inside the sampling signal handler: plain memory only.
#include "agent/sampling/arch/code_range.h"

namespace iprof::sampling {

int32_t CodeRange::BciAt(uintptr_t pc) const {
  const auto offset = static_cast<uint32_t>(pc - start);
  uint32_t low = 0;
  uint32_t high = bci_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (bcis[middle].offset <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? 0 : bcis[low - 1].bci;
}

}  // namespace iprof::sampling
