#include "cli/report/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "writer/base/utf8.h"
#include "writer/names/type_names.h"

namespace iprof::report {
namespace {

using classfile::ConstantPool;
using classfile::CpIndex;
using classfile::Format;
using classfile::Insn;
using classfile::MethodCode;
using classfile::Op;
using classfile::Tag;

// "java/util/List" and "[Ljava/util/List;" as Class.getName() has them.
std::string ClassText(std::string_view internal_name) {
  std::string name = NormalizeUtf8(internal_name);
  std::replace(name.begin(), name.end(), '/', '.');
  return name.empty() ? "?" : name;
}

std::string TypeText(std::string_view descriptor) {
  const std::string text = NormalizeUtf8(descriptor);
  return TypeNameOf(Descriptor(text)).value_or("?");
}

// "(int, java.lang.String)void"
std::string TypesText(std::string_view descriptor) {
  const auto types = SignatureOf(NormalizeUtf8(descriptor));
  if (!types) return "?";
  std::string text = "(";
  for (size_t t = 1; t < types->size(); ++t) text += (t == 1 ? "" : ", ") + (*types)[t];
  return text + ")" + types->front();
}

// Cuts before a code point, not inside it.
std::string Shortened(std::string text) {
  if (text.size() <= kMostTextBytes) return text;
  size_t end = kMostTextBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text + "…";
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : Shortened(NormalizeUtf8(text))) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
  return out + '"';
}

std::string MemberText(const ConstantPool& pool, CpIndex index) {
  const auto member = pool.Member(index);
  if (!member) return "?";
  const std::string name = NormalizeUtf8(member->name);
  const bool is_method = member->tag == Tag::kMethodref ||
                         member->tag == Tag::kInterfaceMethodref ||
                         member->tag == Tag::kInvokeDynamic;
  const std::string owner =
      member->owner == CpIndex::none ? "" : ClassText(pool.ClassName(member->owner)) + ".";
  if (is_method) return owner + name + TypesText(member->descriptor);
  return owner + name + " " + TypeText(member->descriptor);
}

std::string ConstantText(const classfile::ClassFile& file, CpIndex index) {
  const ConstantPool& pool = file.pool();
  const uint8_t* const bytes = file.bytes().data() + pool.Offset(index) + 1;
  const auto wide = [&] {
    return static_cast<uint64_t>(classfile::LoadU4(bytes)) << 32 | classfile::LoadU4(bytes + 4);
  };
  switch (pool.tag(index)) {
    case Tag::kInteger:
      return fmt::format("{}", classfile::LoadS4(bytes));
    case Tag::kFloat:
      return fmt::format("{}f", std::bit_cast<float>(classfile::LoadU4(bytes)));
    case Tag::kLong:
      return fmt::format("{}L", static_cast<int64_t>(wide()));
    case Tag::kDouble:
      return fmt::format("{}", std::bit_cast<double>(wide()));
    case Tag::kString:
      return Quoted(pool.Utf8(CpIndex{pool.FirstU2(index)}));
    case Tag::kClass:
      return ClassText(pool.ClassName(index));
    case Tag::kFieldref:
    case Tag::kMethodref:
    case Tag::kInterfaceMethodref:
    case Tag::kInvokeDynamic:
    case Tag::kDynamic:
      return MemberText(pool, index);
    case Tag::kMethodType:
      return TypesText(pool.Utf8(CpIndex{pool.FirstU2(index)}));
    case Tag::kMethodHandle:
      return MemberText(pool, CpIndex{pool.SecondU2(index)});
    default:
      return "?";
  }
}

std::string KeysText(const MethodCode& code, Insn i) {
  const uint32_t keys = code.SwitchKeyCount(i);
  std::string text;
  for (uint32_t key = 0; key < std::min<uint32_t>(keys, kMostKeys); ++key)
    text += fmt::format("{}, ", code.SwitchKey(i, key + 1));
  return text + (keys > kMostKeys ? "…" : "default");
}

std::string ArrayText(int32_t type) {
  constexpr std::string_view kTypes[] = {"boolean", "char",  "float", "double",
                                         "byte",    "short", "int",   "long"};
  constexpr int32_t kFirst = 4;
  if (type < kFirst || type >= kFirst + static_cast<int32_t>(std::size(kTypes))) return "?";
  return std::string(kTypes[type - kFirst]);
}

}  // namespace

std::string OperandText(const MethodCode& code, Insn i) {
  const Op op = code.at(i).op;
  const Format format = InfoOf(op).format;
  if (IsSwitch(op)) return KeysText(code, i);
  if (NamesConstant(format)) return ConstantText(code.file(), code.Constant(i));
  switch (format) {
    case Format::kImm1:
    case Format::kImm2:
      return op == Op::newarray ? ArrayText(code.Immediate(i))
                                : fmt::format("{}", code.Immediate(i));
    case Format::kLocal:
      return fmt::format("{}", code.Local(i));
    case Format::kIinc:
      return fmt::format("{}, {}", code.Local(i), code.Immediate(i));
    default:
      return {};
  }
}

}  // namespace iprof::report
