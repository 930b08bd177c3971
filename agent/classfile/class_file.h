// ClassFile: the outline of a class file, read without copying.
//
// Guarantees: if Parse returns kOk, every member, attribute and constant is inside the bytes. A
// name that does not exist is an empty view. Attributes that are not understood are kept as bytes.
// The bytes must outlive the ClassFile; its tables are in the given arena.
// Threads: const methods may run in parallel.
// Failure: Parse returns the reason. It accepts versions 45 to 71 (JDK 27) and refuses newer ones,
// because a new version may change the meaning of an instruction or attribute.
#pragma once

#include "agent/classfile/arena.h"
#include "agent/classfile/bytes.h"
#include "agent/classfile/constant_pool.h"
#include "agent/classfile/reason.h"

namespace iprof::classfile {

inline constexpr uint16_t kOldestVersion = 45;
inline constexpr uint16_t kNewestVersion = 71;

enum AccessFlag : uint16_t {
  kAccPublic = 0x0001,
  kAccPrivate = 0x0002,
  kAccProtected = 0x0004,
  kAccStatic = 0x0008,
  kAccFinal = 0x0010,
  kAccSynchronized = 0x0020,
  kAccBridge = 0x0040,
  kAccNative = 0x0100,
  kAccInterface = 0x0200,
  kAccAbstract = 0x0400,
  kAccSynthetic = 0x1000,
  kAccModule = 0x8000,
};

struct MemberInfo {
  // The flags as the JVM applies them. In a class initializer it ignores all flags but `static`,
  // and before version 51 it assumes `static`.
  uint16_t access = 0;
  CpIndex name = CpIndex::none;
  CpIndex descriptor = CpIndex::none;
  uint16_t attribute_count = 0;
  uint32_t offset = 0;  // of the member in the file
  uint32_t end = 0;     // of its last attribute
  // Offset of the Code attribute's six-byte header; 0 for fields, abstract and native methods.
  uint32_t code_offset = 0;
};

// One attribute. `bytes` is its contents, without the six-byte header.
struct AttributeView {
  CpIndex name = CpIndex::none;
  ByteSpan bytes;
};

// Iterates over `count` attributes that start at `at`. They must already be known to fit.
class AttributeWalk {
 public:
  AttributeWalk(const uint8_t* at, uint32_t count) : at_(at), left_(count) {}
  bool Next(AttributeView* out) {
    if (left_ == 0) return false;
    --left_;
    const uint32_t length = LoadU4(at_ + 2);
    *out = {CpIndex{LoadU2(at_)}, ByteSpan(at_ + 6, length)};
    at_ += 6 + size_t{length};
    return true;
  }

 private:
  const uint8_t* at_;
  uint32_t left_;
};

class ClassFile {
 public:
  Reason Parse(ByteSpan bytes, Arena& arena);

  ByteSpan bytes() const { return bytes_; }
  uint16_t major_version() const { return LoadU2(bytes_.data() + 6); }
  uint16_t minor_version() const { return LoadU2(bytes_.data() + 4); }
  uint16_t access() const { return access_; }
  CpIndex this_class() const { return this_class_; }
  CpIndex super_class() const { return super_class_; }
  std::string_view name() const { return pool_.ClassName(this_class_); }
  std::string_view super_name() const { return pool_.ClassName(super_class_); }
  std::span<const CpIndex> interfaces() const { return {interfaces_, interface_count_}; }
  const ConstantPool& pool() const { return pool_; }

  std::span<const MemberInfo> fields() const { return {fields_, field_count_}; }
  std::span<const MemberInfo> methods() const { return {methods_, method_count_}; }
  std::string_view NameOf(const MemberInfo& m) const { return pool_.Utf8(m.name); }
  std::string_view DescriptorOf(const MemberInfo& m) const { return pool_.Utf8(m.descriptor); }

  AttributeWalk AttributesOf(const MemberInfo& m) const {
    return {bytes_.data() + m.offset + 8, m.attribute_count};
  }

  // The offsets of the count of methods and of the count of the class's attributes.
  size_t methods_offset() const { return methods_offset_; }
  size_t attributes_offset() const { return attributes_offset_; }

 private:
  bool ReadMembers(ByteReader& reader, Arena& arena, bool methods, MemberInfo** out,
                   uint32_t* count);

  ByteSpan bytes_;
  ConstantPool pool_;
  uint16_t access_ = 0;
  CpIndex this_class_ = CpIndex::none;
  CpIndex super_class_ = CpIndex::none;
  CpIndex* interfaces_ = nullptr;
  MemberInfo* fields_ = nullptr;
  MemberInfo* methods_ = nullptr;
  uint32_t interface_count_ = 0;
  uint32_t field_count_ = 0;
  uint32_t method_count_ = 0;
  size_t methods_offset_ = 0;
  size_t attributes_offset_ = 0;
};

}  // namespace iprof::classfile
