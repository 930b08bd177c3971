#include "agent/classfile/symbolic_code.h"

#include <cstring>

namespace iprof::classfile {
namespace {

uint64_t NumberAt(const uint8_t* at, bool is_wide) {
  const uint64_t first = LoadU4(at);
  return is_wide ? first << 32 | LoadU4(at + 4) : first;
}

std::optional<NamedConstant> ReadMember(const ConstantPool& pool, CpIndex index) {
  const auto member = pool.Member(index);
  if (!member) return std::nullopt;
  NamedConstant constant{
      .tag = member->tag, .owner = {}, .name = member->name, .descriptor = member->descriptor};
  if (member->owner == CpIndex::none) return constant;
  constant.owner = pool.ClassName(member->owner);
  if (constant.owner.data() == nullptr) return std::nullopt;
  return constant;
}

// A method handle names a member; it is told from it by its kind, which is not 0.
std::optional<NamedConstant> ReadHandle(const ConstantPool& pool, const uint8_t* at) {
  auto constant = ReadMember(pool, CpIndex{LoadU2(at + 1)});
  if (constant) constant->value = *at;
  return constant;
}

// What a text takes: its length and its bytes.
size_t SizeOf(std::string_view text) { return 2 + text.size(); }

// Returns where the text ends.
uint8_t* StoreText(uint8_t* to, std::string_view text) {
  StoreU2(to, static_cast<uint32_t>(text.size()));  // at most 65,535 in a class file
  if (!text.empty()) std::memcpy(to + 2, text.data(), text.size());
  return to + 2 + text.size();
}

}  // namespace

void SymbolicCode::Start(ByteSpan code, std::string_view own_name) {
  bytes_.assign(code.begin(), code.end());
  own_name_ = own_name;
}

void SymbolicCode::ClearIndex(uint32_t bci, Op op) {
  bytes_[bci + 1] = 0;
  if (InfoOf(op).format != Format::kCp1) bytes_[bci + 2] = 0;
}

void SymbolicCode::Add(uint32_t bci, Op op, const NamedConstant& constant) {
  ClearIndex(bci, op);
  Encode(constant, own_name_, &bytes_);
}

void SymbolicCode::AddEncoded(uint32_t bci, Op op, ByteSpan constant) {
  ClearIndex(bci, op);
  bytes_.insert(bytes_.end(), constant.begin(), constant.end());
}

void SymbolicCode::Encode(const NamedConstant& constant, std::string_view own_name,
                          std::vector<uint8_t>* to) {
  const auto renamed = [&](std::string_view name) {
    return name == own_name ? std::string_view() : name;
  };
  const std::string_view owner = renamed(constant.owner);
  const std::string_view name =
      constant.tag == Tag::kClass ? renamed(constant.name) : constant.name;
  const size_t before = to->size();
  to->resize(before + 1 + SizeOf(owner) + SizeOf(name) + SizeOf(constant.descriptor) +
             sizeof constant.value);
  uint8_t* at = to->data() + before;
  *at++ = static_cast<uint8_t>(constant.tag);
  at = StoreText(at, owner);
  at = StoreText(at, name);
  at = StoreText(at, constant.descriptor);
  StoreU8(at, constant.value);
}

std::optional<NamedConstant> ReadConstant(const ClassFile& file, CpIndex index) {
  const ConstantPool& pool = file.pool();
  const uint8_t* const at = file.bytes().data() + pool.Offset(index) + 1;
  NamedConstant constant{.tag = pool.tag(index), .owner = {}, .name = {}, .descriptor = {}};
  switch (constant.tag) {
    case Tag::kInteger:
    case Tag::kFloat:
      constant.value = NumberAt(at, false);
      return constant;
    case Tag::kLong:
    case Tag::kDouble:
      constant.value = NumberAt(at, true);
      return constant;
    case Tag::kClass:
      constant.name = pool.ClassName(index);
      break;
    case Tag::kString:
    case Tag::kMethodType:
      constant.name = pool.Utf8(CpIndex{LoadU2(at)});
      break;
    case Tag::kMethodHandle:
      return ReadHandle(pool, at);
    default:
      return ReadMember(pool, index);
  }
  if (constant.name.data() == nullptr) return std::nullopt;
  return constant;
}

bool MakeSymbolic(const MethodCode& code, SymbolicCode* made) {
  made->Start(code.code(), code.file().name());
  for (Insn i = 0; i < code.count(); ++i) {
    const Op op = code.at(i).op;
    if (!NamesConstant(InfoOf(op).format)) continue;
    const auto constant = ReadConstant(code.file(), code.Constant(i));
    if (!constant) return false;
    made->Add(code.OffsetOf(i), op, *constant);
  }
  return true;
}

}  // namespace iprof::classfile
