// PoolAdditions: constants that a rewriter appends to a class's pool.
//
// Guarantees: asking twice for the same constant gives the same index. New indices follow the
// class's own. Constants that the class already has are not looked up, because that would cost more
// than everything else; a pool may hold equal entries. Rewind() removes what was added since a
// mark, so that a method that could not be rewritten leaves nothing behind.
// Threads: one at a time.
// Failure: an index never passes 65,535; after that the answer is CpIndex::none and full() is true,
// until Rewind().
#pragma once

#include <string_view>

#include "agent/classfile/arena.h"
#include "agent/classfile/bytes.h"
#include "agent/classfile/constant_pool.h"

namespace iprof::classfile {

class PoolAdditions {
 public:
  PoolAdditions(const ConstantPool& pool, Arena& arena)
      : arena_(&arena), first_(pool.count()), next_(pool.count()) {}

  CpIndex Utf8(std::string_view modified_utf8);
  CpIndex Class(std::string_view internal_name);
  CpIndex String(std::string_view modified_utf8);
  CpIndex NameAndType(std::string_view name, std::string_view descriptor);
  CpIndex Field(std::string_view owner, std::string_view name, std::string_view descriptor);
  CpIndex Method(std::string_view owner, std::string_view name, std::string_view descriptor);
  CpIndex Integer(int32_t value);
  CpIndex Long(int64_t value);
  CpIndex MethodType(std::string_view descriptor);
  CpIndex MethodHandle(uint8_t kind, CpIndex member);
  // An entry of two two-byte fields (Dynamic, InvokeDynamic, …), as given.
  CpIndex Pair(Tag tag, uint16_t first, uint16_t second);

  struct Mark {
    uint32_t entries;
    uint32_t next;
    size_t bytes;
  };
  Mark GetMark() const { return {entries_.size(), next_, byte_size_}; }
  void Rewind(const Mark& mark);

  bool full() const { return full_; }            // an addition failed since the last Rewind
  uint32_t pool_count() const { return next_; }  // constant_pool_count including the additions
  size_t byte_size() const { return byte_size_; }
  void Write(uint8_t* out) const;  // exactly byte_size() bytes

 private:
  struct Entry {
    Tag tag;
    uint8_t kind;
    uint16_t index;
    uint32_t hash;
    uint32_t chain;  // 1 + the index of the next older entry in the same bucket
    uint32_t size;   // of the text
    uint64_t value;  // a number, or first << 16 | second
    const char* text;
  };
  static constexpr uint32_t kBuckets = 256;

  CpIndex Intern(Entry entry);
  CpIndex Reference(Tag tag, std::string_view owner, std::string_view name,
                    std::string_view descriptor);

  Arena* arena_;
  uint32_t first_;
  uint32_t next_;
  size_t byte_size_ = 0;
  bool full_ = false;
  ArenaVector<Entry> entries_;
  uint32_t* buckets_ = nullptr;  // allocated at the first addition
};

}  // namespace iprof::classfile
