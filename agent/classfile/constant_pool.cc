#include "agent/classfile/constant_pool.h"

namespace iprof::classfile {

Reason ConstantPool::Parse(ByteSpan file, Arena& arena) {
  if (file.size() < 10) return Reason::kNotAClassFile;
  const uint32_t count = LoadU2(file.data() + 8);
  if (count == 0) return Reason::kBadConstantPool;
  file_ = file.data();
  offsets_ = arena.Allocate<uint32_t>(count);
  offsets_[0] = 0;
  const uint8_t* bytes = file.data();
  const size_t size = file.size();
  size_t at = 10;
  for (uint32_t i = 1; i < count; ++i) {
    if (size - at < 3) return Reason::kBadConstantPool;
    offsets_[i] = static_cast<uint32_t>(at);
    size_t length = 0;
    switch (static_cast<Tag>(bytes[at])) {
      case Tag::kUtf8:
        length = 3 + size_t{LoadU2(bytes + at + 1)};
        break;
      case Tag::kClass:
      case Tag::kString:
      case Tag::kMethodType:
      case Tag::kModule:
      case Tag::kPackage:
        length = 3;
        break;
      case Tag::kMethodHandle:
        length = 4;
        break;
      case Tag::kInteger:
      case Tag::kFloat:
      case Tag::kFieldref:
      case Tag::kMethodref:
      case Tag::kInterfaceMethodref:
      case Tag::kNameAndType:
      case Tag::kDynamic:
      case Tag::kInvokeDynamic:
        length = 5;
        break;
      case Tag::kLong:
      case Tag::kDouble:
        length = 9;
        if (++i >= count) return Reason::kBadConstantPool;
        offsets_[i] = 0;
        break;
      default:
        return Reason::kBadConstantPool;
    }
    if (size - at < length) return Reason::kBadConstantPool;
    at += length;
  }
  count_ = count;
  end_offset_ = at;
  return Reason::kOk;
}

std::string_view ConstantPool::Utf8(CpIndex index) const {
  const uint32_t offset = Offset(index);
  if (offset == 0 || static_cast<Tag>(file_[offset]) != Tag::kUtf8) return {};
  return {reinterpret_cast<const char*>(file_ + offset + 3), LoadU2(file_ + offset + 1)};
}

std::string_view ConstantPool::ClassName(CpIndex index) const {
  const uint32_t offset = Offset(index);
  if (offset == 0) return {};
  const auto tag = static_cast<Tag>(file_[offset]);
  if (tag != Tag::kClass && tag != Tag::kModule && tag != Tag::kPackage) return {};
  return Utf8(CpIndex{LoadU2(file_ + offset + 1)});
}

std::optional<MemberRef> ConstantPool::Member(CpIndex index) const {
  const uint32_t offset = Offset(index);
  if (offset == 0) return std::nullopt;
  MemberRef ref;
  ref.tag = static_cast<Tag>(file_[offset]);
  switch (ref.tag) {
    case Tag::kFieldref:
    case Tag::kMethodref:
    case Tag::kInterfaceMethodref:
      ref.owner = CpIndex{LoadU2(file_ + offset + 1)};
      break;
    case Tag::kInvokeDynamic:
    case Tag::kDynamic:
      break;
    default:
      return std::nullopt;
  }
  const uint32_t pair = Offset(CpIndex{LoadU2(file_ + offset + 3)});
  if (pair == 0 || static_cast<Tag>(file_[pair]) != Tag::kNameAndType) return std::nullopt;
  ref.name = Utf8(CpIndex{LoadU2(file_ + pair + 1)});
  ref.descriptor = Utf8(CpIndex{LoadU2(file_ + pair + 3)});
  if (ref.name.data() == nullptr || ref.descriptor.data() == nullptr) return std::nullopt;
  return ref;
}

uint16_t ConstantPool::FirstU2(CpIndex index) const {
  switch (tag(index)) {
    case Tag::kUnusable:
    case Tag::kUtf8:
    case Tag::kMethodHandle:
      return 0;
    default:
      return LoadU2(file_ + Offset(index) + 1);
  }
}

uint16_t ConstantPool::SecondU2(CpIndex index) const {
  switch (tag(index)) {
    case Tag::kFieldref:
    case Tag::kMethodref:
    case Tag::kInterfaceMethodref:
    case Tag::kNameAndType:
    case Tag::kDynamic:
    case Tag::kInvokeDynamic:
      return LoadU2(file_ + Offset(index) + 3);
    default:
      return 0;
  }
}

}  // namespace iprof::classfile
