#include "agent/hotspot/block_cache.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace iprof::hotspot {

bool BlockCache::ReadParts(Address from, void* into, size_t size) const {
  if (from > UINT64_MAX - size) return false;
  auto* to = static_cast<unsigned char*>(into);
  while (size > 0) {
    const Address offset = from % kBlockBytes;
    const Address in_page = kPageBytes - from % kPageBytes;
    const Block& block = At(from - offset);
    const bool whole = block.readable_pages == kAllPages;
    const auto part =
        static_cast<size_t>(std::min<Address>(size, whole ? kBlockBytes - offset : in_page));
    if (!whole && (block.readable_pages >> (offset / kPageBytes) & 1) == 0) return false;
    std::memcpy(to, block.bytes + offset, part);
    to += part;
    from += part;
    size -= part;
  }
  return true;
}

void BlockCache::Forget(Address from, size_t size) {
  if (from > UINT64_MAX - size) return;
  for (Address block = from - from % kBlockBytes; block < from + size; block += kBlockBytes) {
    recent_[RecentOf(block)] = {};
    Block* const known = blocks_.Find(block + 1);
    if (known == nullptr || known->bytes == nullptr) continue;
    free_.push_back(known->bytes);
    *known = {};
  }
}

void BlockCache::ForgetAll() {
  recent_.fill({});
  blocks_.Clear();
  free_.clear();
  for (const Chunk& chunk : chunks_) {
    for (size_t at = 0; at < kChunkBytes; at += kBlockBytes) free_.push_back(chunk.get() + at);
  }
}

unsigned char* BlockCache::NewBytes() const {
  if (free_.empty()) {
    Chunk chunk(static_cast<unsigned char*>(std::aligned_alloc(kLargePage, kChunkBytes)));
    if (chunk == nullptr) throw std::bad_alloc();
    madvise(chunk.get(), kChunkBytes, MADV_HUGEPAGE);  // it works without, too
    chunks_.push_back(std::move(chunk));
    for (size_t at = kChunkBytes; at > 0; at -= kBlockBytes)
      free_.push_back(chunks_.back().get() + (at - kBlockBytes));
  }
  unsigned char* const bytes = free_.back();
  free_.pop_back();
  return bytes;
}

const BlockCache::Block& BlockCache::At(Address address) const {
  Block& block = *blocks_.TryAdd(address + 1).first;
  if (block.bytes == nullptr) {
    block.bytes = NewBytes();
    if (memory_.Read(address, block.bytes, kBlockBytes)) {
      block.readable_pages = kAllPages;
    } else {
      for (Address at = 0; at < kBlockBytes; at += kPageBytes) {
        if (memory_.Read(address + at, block.bytes + at, kPageBytes))
          block.readable_pages |= static_cast<uint8_t>(1 << at / kPageBytes);
      }
    }
  }
  if (block.readable_pages == kAllPages) recent_[RecentOf(address)] = {address, block.bytes};
  return block;
}

}  // namespace iprof::hotspot
