#include "writer/base/name_table.h"

#include <algorithm>

#include "writer/base/hash.h"

namespace iprof {
namespace {

uint32_t HashOf(std::string_view text) {
  const size_t hash = TextHash()(text);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

std::optional<NameId> NameTable::Find(std::string_view text) const {
  const uint32_t known =
      index_.Find(HashOf(text), [&](uint32_t number) { return Text(NameId{number}) == text; });
  if (known == HashIndex::kNone) return std::nullopt;
  return NameId{known};
}

NameId NameTable::Add(std::string_view text) {
  const uint32_t hash = HashOf(text);
  const uint32_t known =
      index_.Find(hash, [&](uint32_t number) { return Text(NameId{number}) == text; });
  if (known != HashIndex::kNone) {
    ++entries_[known].uses;
    return NameId{known};
  }
  auto copy = std::make_unique<char[]>(text.size());
  std::copy(text.begin(), text.end(), copy.get());
  if (first_free_ == HashIndex::kNone) {
    entries_.emplace_back();
    entries_.back().uses = HashIndex::kNone;
    first_free_ = static_cast<uint32_t>(entries_.size() - 1);
  }
  const uint32_t number = first_free_;
  index_.Insert(hash, number);
  Entry& entry = entries_[number];
  first_free_ = entry.uses;
  entry = {std::move(copy), static_cast<uint32_t>(text.size()), 1};
  text_bytes_ += HeapBytes(text.size());
  return NameId{number};
}

void NameTable::Release(NameId name) {
  const auto number = static_cast<uint32_t>(name);
  Entry& entry = entries_[number];
  if (--entry.uses > 0) return;
  index_.Erase(HashOf(Text(name)), number);
  text_bytes_ -= HeapBytes(entry.length);
  entry.text.reset();
  entry.length = 0;
  entry.uses = first_free_;
  first_free_ = number;
}

}  // namespace iprof
