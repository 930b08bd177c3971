// For this room's tests: a lookup of made-up code.
//
// Guarantees: as CodeLookup. Threads: one at a time. Failure: as CodeLookup.
#pragma once

#include <span>
#include <vector>

#include "agent/sampling/arch/code_range.h"

namespace iprof::sampling {

class FakeCode final : public CodeLookup {
 public:
  void Add(uintptr_t start, size_t size, CodeKind kind, void* method = nullptr,
           std::span<const PcBci> bcis = {}) {
    ranges_.push_back(
        {start, start + size, kind, method, bcis.data(), static_cast<uint32_t>(bcis.size())});
  }
  const CodeRange* Find(uintptr_t pc) const noexcept override {
    for (const CodeRange& range : ranges_)
      if (range.Contains(pc)) return &range;
    return nullptr;
  }

 private:
  std::vector<CodeRange> ranges_;
};

}  // namespace iprof::sampling
