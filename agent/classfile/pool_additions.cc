#include "agent/classfile/pool_additions.h"

#include <cassert>

namespace iprof::classfile {

namespace {

constexpr uint32_t kMaxPoolCount = 65535;

uint32_t Hash(std::string_view text, uint64_t value, Tag tag) {
  uint64_t h = value * 0x9E3779B97F4A7C15u + static_cast<uint8_t>(tag);
  for (const char c : text) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
  return static_cast<uint32_t>(h ^ (h >> 32));
}

size_t BytesOf(Tag tag, uint32_t text_size) {
  switch (tag) {
    case Tag::kUtf8:
      return 3 + size_t{text_size};
    case Tag::kClass:
    case Tag::kString:
    case Tag::kMethodType:
    case Tag::kModule:
    case Tag::kPackage:
      return 3;
    case Tag::kMethodHandle:
      return 4;
    case Tag::kLong:
    case Tag::kDouble:
      return 9;
    default:
      return 5;
  }
}

}  // namespace

CpIndex PoolAdditions::Intern(Entry entry) {
  if (buckets_ == nullptr) buckets_ = arena_->AllocateZeroed<uint32_t>(kBuckets);
  const std::string_view text(entry.text, entry.size);
  entry.hash = Hash(text, entry.value, entry.tag);
  uint32_t& bucket = buckets_[entry.hash % kBuckets];
  for (uint32_t i = bucket; i != 0; i = entries_[i - 1].chain) {
    const Entry& e = entries_[i - 1];
    if (e.hash == entry.hash && e.tag == entry.tag && e.value == entry.value &&
        e.kind == entry.kind && std::string_view(e.text, e.size) == text) {
      return CpIndex{e.index};
    }
  }
  const uint32_t slots = entry.tag == Tag::kLong || entry.tag == Tag::kDouble ? 2 : 1;
  if (next_ + slots > kMaxPoolCount || entry.size > 65535) {
    full_ = true;
    return CpIndex::none;
  }
  if (entry.size != 0) {
    char* copy = arena_->Allocate<char>(entry.size);
    std::memcpy(copy, entry.text, entry.size);
    entry.text = copy;
  }
  entry.index = static_cast<uint16_t>(next_);
  entry.chain = bucket;
  entries_.Push(*arena_, entry);
  bucket = entries_.size();
  next_ += slots;
  byte_size_ += BytesOf(entry.tag, entry.size);
  return CpIndex{entry.index};
}

CpIndex PoolAdditions::Utf8(std::string_view text) {
  Entry e{};
  e.tag = Tag::kUtf8;
  e.text = text.data();
  e.size = static_cast<uint32_t>(text.size());
  return Intern(e);
}

CpIndex PoolAdditions::Pair(Tag tag, uint16_t first, uint16_t second) {
  Entry e{};
  e.tag = tag;
  e.value = uint64_t{first} << 16 | second;
  return Intern(e);
}

// If an entry could not be added, entries that refer to it cannot be added either.
CpIndex PoolAdditions::Class(std::string_view name) {
  const CpIndex text = Utf8(name);
  return text == CpIndex::none ? text : Pair(Tag::kClass, Value(text), 0);
}

CpIndex PoolAdditions::String(std::string_view string) {
  const CpIndex text = Utf8(string);
  return text == CpIndex::none ? text : Pair(Tag::kString, Value(text), 0);
}

CpIndex PoolAdditions::MethodType(std::string_view descriptor) {
  const CpIndex text = Utf8(descriptor);
  return text == CpIndex::none ? text : Pair(Tag::kMethodType, Value(text), 0);
}

CpIndex PoolAdditions::NameAndType(std::string_view name, std::string_view descriptor) {
  const CpIndex n = Utf8(name);
  const CpIndex d = Utf8(descriptor);
  if (n == CpIndex::none || d == CpIndex::none) return CpIndex::none;
  return Pair(Tag::kNameAndType, Value(n), Value(d));
}

CpIndex PoolAdditions::Reference(Tag tag, std::string_view owner, std::string_view name,
                                 std::string_view descriptor) {
  const CpIndex c = Class(owner);
  const CpIndex nt = NameAndType(name, descriptor);
  if (c == CpIndex::none || nt == CpIndex::none) return CpIndex::none;
  return Pair(tag, Value(c), Value(nt));
}

CpIndex PoolAdditions::Field(std::string_view owner, std::string_view name,
                             std::string_view descriptor) {
  return Reference(Tag::kFieldref, owner, name, descriptor);
}

CpIndex PoolAdditions::Method(std::string_view owner, std::string_view name,
                              std::string_view descriptor) {
  return Reference(Tag::kMethodref, owner, name, descriptor);
}

CpIndex PoolAdditions::Integer(int32_t value) {
  Entry e{};
  e.tag = Tag::kInteger;
  e.value = static_cast<uint32_t>(value);
  return Intern(e);
}

CpIndex PoolAdditions::Long(int64_t value) {
  Entry e{};
  e.tag = Tag::kLong;
  e.value = static_cast<uint64_t>(value);
  return Intern(e);
}

CpIndex PoolAdditions::MethodHandle(uint8_t kind, CpIndex member) {
  Entry e{};
  e.tag = Tag::kMethodHandle;
  e.kind = kind;
  e.value = Value(member);
  return Intern(e);
}

void PoolAdditions::Rewind(const Mark& mark) {
  for (uint32_t i = entries_.size(); i > mark.entries; --i) {
    const Entry& e = entries_[i - 1];
    assert(buckets_[e.hash % kBuckets] == i);
    buckets_[e.hash % kBuckets] = e.chain;
  }
  entries_.Truncate(mark.entries);
  next_ = mark.next;
  byte_size_ = mark.bytes;
  full_ = false;
}

void PoolAdditions::Write(uint8_t* out) const {
  for (const Entry& e : entries_) {
    out[0] = static_cast<uint8_t>(e.tag);
    switch (e.tag) {
      case Tag::kUtf8:
        StoreU2(out + 1, e.size);
        if (e.size != 0) std::memcpy(out + 3, e.text, e.size);
        break;
      case Tag::kClass:
      case Tag::kString:
      case Tag::kMethodType:
      case Tag::kModule:
      case Tag::kPackage:
        StoreU2(out + 1, static_cast<uint32_t>(e.value >> 16));
        break;
      case Tag::kMethodHandle:
        out[1] = e.kind;
        StoreU2(out + 2, static_cast<uint32_t>(e.value));
        break;
      case Tag::kLong:
      case Tag::kDouble:
        StoreU8(out + 1, e.value);
        break;
      default:
        StoreU4(out + 1, static_cast<uint32_t>(e.value));
        break;
    }
    out += BytesOf(e.tag, e.size);
  }
}

}  // namespace iprof::classfile
