#include "agent/vm/cells/hash_names.h"

#include <algorithm>

namespace iprof::vm {
namespace {

// A name's record, its map entry, and the allocator's overhead.
constexpr size_t kBytesOfName = 128;

bool ByHash(const HashNames::Entry& a, const HashNames::Entry& b) { return a.hash < b.hash; }

// Merges the new entries into the sorted ones.
void MergeInto(std::vector<HashNames::Entry>& sorted, const std::vector<HashNames::Entry>& fresh) {
  const auto middle = static_cast<std::ptrdiff_t>(sorted.size());
  sorted.insert(sorted.end(), fresh.begin(), fresh.end());
  std::sort(sorted.begin() + middle, sorted.end(), ByHash);
  std::inplace_merge(sorted.begin(), sorted.begin() + middle, sorted.end(), ByHash);
}

}  // namespace

size_t HashNames::BytesLocked() const {
  return (known_classes_ + fresh_.size()) * sizeof(Entry) + numbers_.size() * kBytesOfName +
         text_bytes_;
}

uint32_t HashNames::UseNameLocked(const std::string& text) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) {
    ++names_[found->second].uses;
    return found->second;
  }
  auto number = static_cast<uint32_t>(names_.size());
  if (free_names_.empty()) {
    names_.push_back({text, 1});
  } else {
    number = free_names_.back();
    free_names_.pop_back();
    names_[number] = {text, 1};
  }
  numbers_.emplace(names_[number].text, number);
  text_bytes_ += text.size();
  return number;
}

void HashNames::DropNameLocked(uint32_t number) {
  if (number == kNoName) return;
  Name& name = names_[number];
  if (--name.uses > 0) return;
  numbers_.erase(name.text);
  text_bytes_ -= name.text.size();
  name.text = std::string();
  free_names_.push_back(number);
}

bool HashNames::Add(int32_t hash, const std::optional<std::string>& name, jweak reference) {
  const std::lock_guard lock(mutex_);
  if (FullLocked()) {
    ++refused_;
    return false;
  }
  fresh_.push_back({hash, name ? UseNameLocked(*name) : kNoName, reference});
  return true;
}

void HashNames::Absorb() {
  std::vector<Entry> fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh.swap(fresh_);
    known_classes_ += fresh.size();
  }
  MergeInto(known_, fresh);
  if (std::any_of(fresh.begin(), fresh.end(),
                  [&](const Entry& e) { return WithHash(e.hash).size() > 1; }))
    ++changes_;
}

std::span<const HashNames::Entry> HashNames::WithHash(int32_t hash) const {
  const auto [first, last] =
      std::equal_range(known_.begin(), known_.end(), Entry{hash, kNoName, nullptr}, ByHash);
  return {first, last};
}

HashNames::Answer HashNames::Find(int32_t hash) const {
  const std::span<const Entry> entries = WithHash(hash);
  if (entries.empty()) return {Kind::kUnknown, {}};
  const uint32_t number = entries.front().name;
  const bool one =
      std::all_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == number; });
  if (!one) return {Kind::kSeveral, {}};
  if (number == kNoName) return {Kind::kNameless, {}};
  const std::lock_guard lock(mutex_);
  return {Kind::kNamed, names_[number].text};
}

void HashNames::Sweep(const std::function<bool(jweak)>& gone) {
  std::vector<uint32_t> dropped;
  std::erase_if(known_, [&](const Entry& entry) {
    if (entry.reference != nullptr) return false;
    dropped.push_back(entry.name);
    return true;
  });
  for (Entry& entry : known_) {
    if (gone(entry.reference)) entry.reference = nullptr;
  }
  if (!dropped.empty()) ++changes_;  // another class may get the hash
  if (known_.capacity() > 4 * known_.size() + 1024) known_.shrink_to_fit();
  const std::lock_guard lock(mutex_);
  known_classes_ = known_.size();
  for (const uint32_t name : dropped) DropNameLocked(name);
}

HashNames::Statistics HashNames::statistics() const {
  const std::lock_guard lock(mutex_);
  Statistics all;
  all.bytes = BytesLocked();
  all.names = numbers_.size();
  all.classes = known_classes_ + fresh_.size();
  all.refused = refused_;
  return all;
}

}  // namespace iprof::vm
