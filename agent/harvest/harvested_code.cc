#include "agent/harvest/harvested_code.h"

#include <optional>

#include "agent/classfile/bytes.h"
#include "agent/classfile/symbolic_code.h"
#include "writer/base/code_length.h"
#include "writer/base/murmur3.h"

namespace iprof::hotspot {
namespace {

using classfile::NamedConstant;
using classfile::Tag;

constexpr size_t kMostEncodedBytes = 16 << 20;  // and one constant more

// HotSpot has further tags for constants that are not resolved yet, or that failed to resolve.
Tag OriginalTag(uint8_t tag) {
  switch (tag) {
    case 100:
    case 103:
      return Tag::kClass;
    case 104:
      return Tag::kMethodHandle;
    case 105:
      return Tag::kMethodType;
    case 106:
      return Tag::kDynamic;
    default:
      return Tag{tag};
  }
}

std::optional<NamedConstant> ReadMember(Metadata& metadata, const Pool& pool, uint32_t index) {
  const auto member = metadata.Member(pool, index);
  if (!member) return std::nullopt;
  return NamedConstant{.tag = OriginalTag(pool.TagOf(index)),
                       .owner = member->owner,
                       .name = member->name,
                       .descriptor = member->descriptor};
}

std::optional<NamedConstant> ReadConstant(Metadata& metadata, const Pool& pool, uint32_t index) {
  if (index >= pool.slots.size()) return std::nullopt;
  const uint64_t slot = pool.slots[index];
  NamedConstant constant{
      .tag = OriginalTag(pool.TagOf(index)), .owner = {}, .name = {}, .descriptor = {}};
  std::optional<std::string_view> name;
  switch (constant.tag) {
    case Tag::kInteger:
    case Tag::kFloat:
      constant.value = static_cast<uint32_t>(slot);
      return constant;
    case Tag::kLong:
    case Tag::kDouble:
      constant.value = slot;
      return constant;
    case Tag::kClass:
      name = metadata.ClassName(pool, index);
      break;
    case Tag::kString:
      name = metadata.Symbol(slot);
      break;
    case Tag::kMethodType:
      name = metadata.Utf8(pool, static_cast<uint16_t>(slot));
      break;
    case Tag::kMethodHandle: {
      auto handle = ReadMember(metadata, pool, static_cast<uint16_t>(slot >> 16));
      if (handle) handle->value = static_cast<uint16_t>(slot);
      return handle;
    }
    default:
      return ReadMember(metadata, pool, index);
  }
  if (!name) return std::nullopt;
  constant.name = *name;
  return constant;
}

}  // namespace

void HarvestedCodeHasher::Start(const Pool& pool, std::string_view own_name) {
  own_name_ = own_name;
  places_.assign(pool.slots.size(), {});
  encoded_.assign(1, 0);
}

classfile::ByteSpan HarvestedCodeHasher::Encoded(const Pool& pool, uint32_t index) {
  if (index >= places_.size()) return {};
  Place& place = places_[index];
  if (place.end == 0) {
    if (encoded_.size() > kMostEncodedBytes) return EncodedAnew(pool, index);
    const auto constant = ReadConstant(metadata_, pool, index);
    if (!constant) return {};
    place.begin = static_cast<uint32_t>(encoded_.size());
    classfile::SymbolicCode::Encode(*constant, own_name_, &encoded_);
    place.end = static_cast<uint32_t>(encoded_.size());
  }
  return classfile::ByteSpan(encoded_).subspan(place.begin, place.end - place.begin);
}

// After forgetting the others. The texts of constants are up to 64 KiB long, and a pool has 65,535.
classfile::ByteSpan HarvestedCodeHasher::EncodedAnew(const Pool& pool, uint32_t index) {
  Start(pool, own_name_);
  return Encoded(pool, index);
}

uint64_t HarvestedCodeHasher::Hash(const Pool& pool, const OriginalCode& code) {
  symbolic_.Start(code.bytes, own_name_);
  for (const CodeInstruction& insn : code.instructions) {
    const auto format = classfile::InfoOf(insn.op).format;
    if (!classfile::NamesConstant(format)) continue;
    const uint8_t* const operand = code.bytes.data() + insn.bci + 1;
    const uint32_t index =
        format == classfile::Format::kCp1 ? uint32_t{*operand} : classfile::LoadU2(operand);
    const classfile::ByteSpan constant = Encoded(pool, index);
    if (constant.empty()) return 0;
    symbolic_.AddEncoded(insn.bci, insn.op, constant);
  }
  return WithCodeLength(Murmur3(symbolic_.bytes()).low, code.bytes.size());
}

}  // namespace iprof::hotspot
