#include "agent/hotspot/harvest/harvested_code.h"

#include <optional>

#include "agent/classfile/bytes.h"
#include "agent/classfile/symbolic_code.h"
#include "writer/base/murmur3.h"

namespace iprof::hotspot {
namespace {

using classfile::NamedConstant;
using classfile::Tag;

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

uint64_t HarvestedCodeHash(Metadata& metadata, const Pool& pool, const OriginalCode& code,
                           std::string_view own_name, classfile::SymbolicCode* scratch) {
  classfile::SymbolicCode& symbolic = *scratch;
  symbolic.Start(code.bytes, own_name);
  for (const CodeInstruction& insn : code.instructions) {
    const auto format = classfile::InfoOf(insn.op).format;
    if (!classfile::NamesConstant(format)) continue;
    const uint8_t* const operand = code.bytes.data() + insn.bci + 1;
    const uint32_t index =
        format == classfile::Format::kCp1 ? uint32_t{*operand} : classfile::LoadU2(operand);
    const auto constant = ReadConstant(metadata, pool, index);
    if (!constant) return 0;
    symbolic.Add(insn.bci, insn.op, *constant);
  }
  return Murmur3(symbolic.bytes()).low;
}

}  // namespace iprof::hotspot
