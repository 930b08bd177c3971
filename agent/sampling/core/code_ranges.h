// CodeRanges: which compiled method or VM stub owns an address of the code cache.
//
// Why: AsyncGetCallTrace gives up where a frame is half built (a method's first and last
// instructions) or where there is none (a stub). To pop such a leaf one must know what is code at
// all, which method it belongs to, and at which bci.
//
// Guarantees:
//  - Find() is async-signal-safe and lock-free; it sees each range whole or not at all.
//  - Add and Remove are for normal threads (they take a lock and allocate); later ranges hide
//    earlier ones that they overlap, since the VM reuses addresses and may tell us late.
//  - Memory of removed ranges is reused only after the quiesce function said that no handler can
//    still be looking.
//
// All code of a HotSpot VM lies within 2 GB; addresses further from the first one seen are counted
// and ignored.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "agent/sampling/arch/code_range.h"

namespace iprof::sampling {

class CodeRanges final : public CodeLookup {
 public:
  // quiesce: true when every handler that ran at the time of the call has left. May take a few
  // milliseconds.
  explicit CodeRanges(std::function<bool()> quiesce);
  ~CodeRanges();
  CodeRanges(const CodeRanges&) = delete;
  CodeRanges& operator=(const CodeRanges&) = delete;

  // bcis must be sorted by offset. False: outside the window, or no memory; counted.
  bool Add(uintptr_t start, size_t size, CodeKind kind, void* method, std::span<const PcBci> bcis);
  void Remove(uintptr_t start);

  const CodeRange* Find(uintptr_t pc) const noexcept override;

  size_t live_count() const;
  size_t memory_bytes() const;
  uint64_t ignored_count() const { return ignored_.load(std::memory_order_relaxed); }

 private:
  struct Owned;
  struct Link {
    std::atomic<const CodeRange*> range;
    std::atomic<Link*> next;
  };

  static constexpr uintptr_t kWindow = uintptr_t{4} << 30;
  static constexpr int kPageShift = 12;
  static constexpr size_t kPages = kWindow >> kPageShift;
  static constexpr size_t kRetireBatch = 256;

  void Retire(std::unique_ptr<Owned> owned);
  void Unlink(size_t page, const CodeRange* range, std::vector<Link*>* links);

  std::function<bool()> quiesce_;
  mutable std::mutex lock_;
  std::atomic<uintptr_t> base_{0};
  std::atomic<Link*>* heads_ = nullptr;  // one list per page of the window
  std::vector<std::unique_ptr<Owned>> retired_;
  struct Index;
  std::unique_ptr<Index> index_;  // by start address, for Remove
  size_t memory_ = 0;
  std::atomic<uint64_t> ignored_{0};
};

}  // namespace iprof::sampling
