// Find() runs inside the sampling signal handler: atomics and plain memory only.
#include "agent/sampling/core/code_ranges.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace iprof::sampling {

namespace {

// What malloc takes for a block.
constexpr size_t BlockBytes(size_t bytes) {
  constexpr size_t kHeader = sizeof(void*);
  constexpr size_t kGrain = 2 * sizeof(void*);
  return bytes == 0 ? 0 : std::max((bytes + kHeader + kGrain - 1) / kGrain * kGrain, 2 * kGrain);
}

}  // namespace

struct CodeRanges::Owned {
  CodeRange range;
  std::vector<PcBci> bcis;
  std::vector<std::unique_ptr<Link>> links;

  // With its node in the index.
  size_t Bytes() const {
    constexpr size_t kNodeBytes = 3 * sizeof(void*);
    return BlockBytes(sizeof(*this)) + BlockBytes(kNodeBytes) +
           BlockBytes(bcis.capacity() * sizeof(PcBci)) +
           BlockBytes(links.capacity() * sizeof(void*)) + links.size() * BlockBytes(sizeof(Link));
  }
};

CodeRanges::CodeRanges(std::function<bool()> quiesce) : quiesce_(std::move(quiesce)) { Open(); }

CodeRanges::~CodeRanges() { Close(); }

void CodeRanges::Open() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (heads_ != nullptr) return;
  void* mapping = mmap(nullptr, kPages * sizeof(*heads_), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // Without the mapping, every Add is ignored and counted, and samples are just not recovered.
  if (mapping != MAP_FAILED) heads_ = static_cast<std::atomic<Link*>*>(mapping);
}

void CodeRanges::Close() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (heads_ != nullptr) munmap(static_cast<void*>(heads_), kPages * sizeof(*heads_));
  heads_ = nullptr;
  base_.store(0, std::memory_order_relaxed);
  // Not clear(), which keeps buckets and capacity.
  index_ = Index();
  retired_ = std::vector<std::unique_ptr<Owned>>();
  touched_.reset();
  memory_ = 0;
}

bool CodeRanges::Add(uintptr_t start, size_t size, CodeKind kind, void* method,
                     std::span<const PcBci> bcis) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (base_.load(std::memory_order_relaxed) == 0) {
    const uintptr_t middle = start & ~((uintptr_t{1} << kPageShift) - 1);
    base_.store(middle > kWindow / 2 ? middle - kWindow / 2 : uintptr_t{1} << kPageShift,
                std::memory_order_release);
  }
  const uintptr_t base = base_.load(std::memory_order_relaxed);
  if (heads_ == nullptr || size == 0 || start < base || size > kWindow ||
      start - base > kWindow - size) {
    ignored_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  if (const auto found = index_.find(start); found != index_.end()) {
    std::unique_ptr<Owned> old = std::move(found->second);
    index_.erase(found);
    Retire(std::move(old));
  }
  try {
    auto owned = std::make_unique<Owned>();
    owned->bcis.assign(bcis.begin(), bcis.end());
    owned->range = {start,  start + size,       kind,
                    method, owned->bcis.data(), static_cast<uint32_t>(owned->bcis.size())};
    const size_t first = (start - base) >> kPageShift;
    const size_t last = (start + size - 1 - base) >> kPageShift;
    for (size_t page = first; page <= last; ++page) {
      owned->links.push_back(std::make_unique<Link>());
      Link* link = owned->links.back().get();
      link->range.store(&owned->range, std::memory_order_relaxed);
      link->next.store(heads_[page].load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    const size_t bytes = owned->Bytes();
    Owned* published = owned.get();
    index_.emplace(start, std::move(owned));
    for (size_t page = first; page <= last; ++page) {
      heads_[page].store(published->links[page - first].get(), std::memory_order_release);
      touched_.set(page / kHeadsAPage);
    }
    memory_ += bytes;
    return true;
  } catch (const std::bad_alloc&) {
    ignored_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
}

void CodeRanges::Remove(uintptr_t start) {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto found = index_.find(start);
  if (found == index_.end()) return;
  std::unique_ptr<Owned> owned = std::move(found->second);
  index_.erase(found);
  Retire(std::move(owned));
}

// Unlinks the range from its lists. A reader that is at one of its links still gets on through
// `next`.
void CodeRanges::Retire(std::unique_ptr<Owned> owned) {
  const uintptr_t base = base_.load(std::memory_order_relaxed);
  const size_t first = (owned->range.start - base) >> kPageShift;
  for (size_t i = 0; i < owned->links.size(); ++i) {
    Link* gone = owned->links[i].get();
    std::atomic<Link*>* at = &heads_[first + i];
    while (at->load(std::memory_order_relaxed) != gone)
      at = &at->load(std::memory_order_relaxed)->next;
    at->store(gone->next.load(std::memory_order_relaxed), std::memory_order_release);
  }
  retired_.push_back(std::move(owned));
  if (retired_.size() < kRetireBatch || !quiesce_()) return;
  for (const std::unique_ptr<Owned>& each : retired_) memory_ -= each->Bytes();
  retired_.clear();
}

const CodeRange* CodeRanges::Find(uintptr_t pc) const noexcept {
  const uintptr_t base = base_.load(std::memory_order_acquire);
  if (base == 0 || heads_ == nullptr || pc < base || pc - base >= kWindow) return nullptr;
  const Link* link = heads_[(pc - base) >> kPageShift].load(std::memory_order_acquire);
  for (; link != nullptr; link = link->next.load(std::memory_order_acquire)) {
    const CodeRange* range = link->range.load(std::memory_order_relaxed);
    if (range->Contains(pc)) return range;
  }
  return nullptr;
}

size_t CodeRanges::live_count() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return index_.size();
}

size_t CodeRanges::memory_bytes() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return memory_ + touched_.count() * (size_t{1} << kPageShift) +
         (index_.empty() ? 0 : index_.bucket_count() * sizeof(void*)) +
         retired_.capacity() * sizeof(void*);
}

}  // namespace iprof::sampling
