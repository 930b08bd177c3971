#include "agent/classfile/arena.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace iprof::classfile {

namespace {
// Larger blocks are freed at Reset(), so that one huge class does not take memory forever.
constexpr size_t kKeepBytes = size_t{8} << 20;
}  // namespace

Arena::~Arena() {
  while (block_ != nullptr) {
    Block* previous = block_->previous;
    std::free(block_);
    block_ = previous;
  }
}

size_t Arena::UsedNow() const {
  if (block_ == nullptr) return 0;
  return block_->used_before + static_cast<size_t>(at_ - reinterpret_cast<uint8_t*>(block_ + 1));
}

void Arena::NotePeak() { peak_ = std::max(peak_, UsedNow()); }

size_t Arena::peak_bytes() const { return std::max(peak_, UsedNow()); }

uint8_t* Arena::AllocateSlow(size_t bytes) {
  const size_t used = UsedNow();
  const size_t size = std::max(bytes, next_block_bytes_);
  auto* block = static_cast<Block*>(std::malloc(sizeof(Block) + size));
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  block->previous = block_;
  block->size = size;
  block->used_before = used;
  reserved_ += size;
  next_block_bytes_ = std::min(size * 2, kKeepBytes);
  block_ = block;
  at_ = reinterpret_cast<uint8_t*>(block + 1) + bytes;
  end_ = reinterpret_cast<uint8_t*>(block + 1) + size;
  return reinterpret_cast<uint8_t*>(block + 1);
}

void Arena::Rewind(const Mark& mark) {
  NotePeak();
  while (block_ != mark.block && block_ != nullptr) {
    // Keep the first block, even if the mark was taken before it was allocated.
    if (block_->previous == nullptr && mark.block == nullptr) break;
    Block* previous = block_->previous;
    reserved_ -= block_->size;
    std::free(block_);
    block_ = previous;
  }
  if (block_ == nullptr) {
    at_ = end_ = nullptr;
    return;
  }
  auto* start = reinterpret_cast<uint8_t*>(block_ + 1);
  at_ = mark.block == nullptr ? start : mark.at;
  end_ = start + block_->size;
}

void Arena::Reset() {
  NotePeak();
  if (block_ != nullptr && (block_->previous != nullptr || block_->size > kKeepBytes)) {
    // Several blocks were needed; next time one block is enough.
    next_block_bytes_ = std::min(std::max(peak_, next_block_bytes_), kKeepBytes);
    while (block_ != nullptr) {
      Block* previous = block_->previous;
      std::free(block_);
      block_ = previous;
    }
    reserved_ = 0;
  }
  at_ = end_ = nullptr;
  if (block_ != nullptr) {
    at_ = reinterpret_cast<uint8_t*>(block_ + 1);
    end_ = at_ + block_->size;
  }
  peak_ = 0;
}

}  // namespace iprof::classfile
