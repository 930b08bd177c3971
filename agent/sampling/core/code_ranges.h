// CodeRanges: finds the compiled method or VM stub at an address in the code cache.
//
// Why: AsyncGetCallTrace fails if a frame is incomplete (in a method's first and last instructions)
// or absent (in a stub). To pop such a leaf frame, the sampler must know what is code, which method
// it belongs to, and at which bci.
//
// Guarantees:
// - Find() is async-signal-safe and lock-free. It sees a range completely or not at all.
// - New ranges hide older ones that they overlap, because the VM reuses addresses and may report
//   that late.
// - The memory of removed ranges is reused only after the quiesce function has said that no handler
//   can still be using it.
// Threads: Find any, also in the signal handler; Add and Remove normal threads (they take a lock
// and allocate).
// Failure: Add returns false. All code of a HotSpot VM is within 2 GB; addresses further away from
// the first one are counted and ignored.
#pragma once

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "agent/sampling/arch/code_range.h"

namespace iprof::sampling {

class CodeRanges final : public CodeLookup {
 public:
  // quiesce returns true when every handler that was running at the time of the call has returned.
  // It may take a few milliseconds.
  explicit CodeRanges(std::function<bool()> quiesce);
  ~CodeRanges();
  CodeRanges(const CodeRanges&) = delete;
  CodeRanges& operator=(const CodeRanges&) = delete;

  // bcis must be sorted by offset. Returns false if the range is outside the window or memory is
  // short; both are counted.
  bool Add(uintptr_t start, size_t size, CodeKind kind, void* method, std::span<const PcBci> bcis);
  void Remove(uintptr_t start);
  // Frees all memory. From now on nothing is found and Add is ignored. No handler may use the object.
  void Close();
  // After Close, as a new object. A no-op if it is open.
  void Open();

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
  static constexpr size_t kHeadsAPage = (size_t{1} << kPageShift) / sizeof(void*);
  static constexpr size_t kRetireBatch = 256;

  void Retire(std::unique_ptr<Owned> owned);
  void Unlink(size_t page, const CodeRange* range, std::vector<Link*>* links);

  std::function<bool()> quiesce_;
  mutable std::mutex lock_;
  std::atomic<uintptr_t> base_{0};
  std::atomic<Link*>* heads_ = nullptr;  // one list per page of the window
  std::vector<std::unique_ptr<Owned>> retired_;
  using Index = std::unordered_map<uintptr_t, std::unique_ptr<Owned>>;
  Index index_;  // by start address, for Remove
  std::bitset<kPages / kHeadsAPage>
      touched_;        // pages of heads_, which take memory once they are written
  size_t memory_ = 0;  // of the ranges
  std::atomic<uint64_t> ignored_{0};
};

}  // namespace iprof::sampling
