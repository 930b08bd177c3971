#include "agent/vm/sampling/sampling_methods.h"

#include <utility>

namespace iprof::vm {
namespace {

// The map nodes, with their buckets.
constexpr size_t kEntryBytes = 64;
constexpr size_t kWatchBytes = 88;

}  // namespace

void SampledMethods::AddClass(std::string_view class_descriptor,
                              std::span<const MethodOfClass> methods, ClassNaming naming,
                              int64_t watch) {
  if (methods.empty()) return;
  const std::lock_guard<std::mutex> guard(lock_);
  std::vector<const void*>* ids = watch > 0 ? &by_watch_[watch] : nullptr;
  if (ids != nullptr) ids->reserve(ids->size() + methods.size());
  for (const MethodOfClass& method : methods) {
    const Entry entry{texts_.Add(class_descriptor),
                      texts_.Add(method.name),
                      texts_.Add(method.descriptor),
                      method.version,
                      naming,
                      watch};
    const auto [at, is_new] = by_id_.try_emplace(method.id, entry);
    if (is_new) {
      if (method.version == MethodVersion::kReplaced) replaced_.push_back(method.id);
      if (ids == nullptr) continue;
      ids->push_back(method.id);
      ++watched_ids_;
      continue;
    }
    const Entry old = std::exchange(at->second, entry);
    texts_.Release(old.class_descriptor);
    texts_.Release(old.name);
    texts_.Release(old.descriptor);
  }
}

std::optional<SampledMethod> SampledMethods::Find(const void* id) const {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  const Entry& entry = found->second;
  return SampledMethod{texts_.Text(entry.class_descriptor),
                       texts_.Text(entry.name),
                       texts_.Text(entry.descriptor),
                       entry.version,
                       entry.naming,
                       entry.watch};
}

size_t SampledMethods::size() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return by_id_.size();
}

size_t SampledMethods::Gone(int64_t watch) {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto found = by_watch_.find(watch);
  if (found == by_watch_.end()) return 0;
  const size_t count = found->second.size();
  gone_.insert(gone_.end(), found->second.begin(), found->second.end());
  watched_ids_ -= count;
  by_watch_.erase(found);
  return count;
}

void SampledMethods::ReplacedGone() {
  const std::lock_guard<std::mutex> guard(lock_);
  gone_.insert(gone_.end(), replaced_.begin(), replaced_.end());
  replaced_.clear();
}

size_t SampledMethods::replaced_methods() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return replaced_.size();
}

size_t SampledMethods::gone_methods() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return gone_.size();
}

void SampledMethods::Prune(const std::unordered_set<const void*>& sampled) {
  const std::lock_guard<std::mutex> guard(lock_);
  for (const void* id : gone_) {
    // A stack that does not contain it now never will.
    const auto found = sampled.contains(id) ? by_id_.end() : by_id_.find(id);
    if (found == by_id_.end()) continue;
    texts_.Release(found->second.class_descriptor);
    texts_.Release(found->second.name);
    texts_.Release(found->second.descriptor);
    by_id_.erase(found);
  }
  gone_.clear();
}

size_t SampledMethods::bytes() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return texts_.bytes() + by_id_.size() * kEntryBytes + by_watch_.size() * kWatchBytes +
         (watched_ids_ + gone_.capacity() + replaced_.capacity()) * sizeof(const void*);
}

}  // namespace iprof::vm
