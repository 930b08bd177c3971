#include "agent/instrument/counted_class.h"

#include <algorithm>

#include "agent/classfile/class_file.h"

namespace iprof::instrument {

bool CountedMethod::IsStaticSynchronized() const {
  constexpr uint16_t kBoth = classfile::kAccStatic | classfile::kAccSynchronized;
  return (access & kBoth) == kBoth;
}

std::string_view CountedClass::Keep(std::string_view text) {
  constexpr size_t kBlock = 2048;
  if (blocks_.empty() || text.size() > left_) {
    left_ = std::max(kBlock, text.size());
    blocks_.push_back(std::make_unique<char[]>(left_));
    block_size_ = left_;
  }
  char* at = blocks_.back().get() + (block_size_ - left_);
  std::copy(text.begin(), text.end(), at);
  left_ -= text.size();
  return {at, text.size()};
}

}  // namespace iprof::instrument
