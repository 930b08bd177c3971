#include "agent/instrument/class_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

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

const CountedClass* ClassTable::Find(std::string_view name, const Hash128& hash) const {
  std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  for (const auto& version : found->second) {
    if (version->hash == hash) return version.get();
  }
  return nullptr;
}

const CountedClass* ClassTable::Add(std::unique_ptr<CountedClass> added) {
  std::lock_guard lock(mutex_);
  auto& versions = by_name_[added->name];
  for (const auto& version : versions) {
    if (version->hash == added->hash) return version.get();
  }
  versions.push_back(std::move(added));
  return versions.back().get();
}

const CountedClass* ClassTable::Latest(std::string_view name) const {
  std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second.back().get();
}

bool ClassTable::KnowsName(std::string_view name) const {
  std::lock_guard lock(mutex_);
  return by_name_.contains(name);
}

std::vector<const CountedClass*> ClassTable::Sorted() const {
  std::vector<const CountedClass*> all;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [name, versions] : by_name_) {
      for (const auto& version : versions) all.push_back(version.get());
    }
  }
  std::sort(all.begin(), all.end(), [](const CountedClass* a, const CountedClass* b) {
    return std::tie(a->name, a->hash.high, a->hash.low) <
           std::tie(b->name, b->hash.high, b->hash.low);
  });
  return all;
}

}  // namespace iprof::instrument
