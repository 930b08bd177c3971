#include "cli/views/report/class_listings.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "agent/classfile/code.h"
#include "agent/instrument/table/code_hash.h"
#include "writer/base/utf8.h"
#include "writer/names/type_names.h"
#include "writer/profile/code_hashes.h"

namespace iprof::report {
namespace {

// Constants of strings are cut off after so many bytes, switches after so many keys.
constexpr size_t kMostTextBytes = 120;
constexpr size_t kMostKeys = 256;

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

// What an instruction works on, for people: "java.util.List.size()int", "\"text\"", "3, 1". Names are as in profiles, methods
// as Profile::DescribeMethod has them. Targets of jumps are left out; of a switch, it has the keys in the order of its slots, and
// "default".
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

using classfile::AttributeView;
using classfile::AttributeWalk;
using classfile::ClassFile;
using classfile::Insn;
using classfile::MemberInfo;
using classfile::MethodCode;
using classfile::Reason;

// A constructor's lines may be far apart: those of the fields are among them.
constexpr int kMostSourceLines = 300;
constexpr int kLinesBefore = 2;  // the method's head is above its first instruction's line
constexpr int kLinesAfter = 1;

std::vector<std::pair<Bci, int>> LinesOf(const MethodCode& code) {
  std::vector<std::pair<Bci, int>> lines;
  AttributeWalk walk = code.attributes();
  for (AttributeView attribute; walk.Next(&attribute);) {
    if (code.file().pool().Utf8(attribute.name) != "LineNumberTable") continue;
    classfile::ByteReader reader(attribute.bytes);
    for (int left = reader.U2(); left > 0 && reader.ok(); --left) {
      const Bci bci = reader.U2();
      const int line = reader.U2();
      if (reader.ok()) lines.emplace_back(bci, line);
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return lines;
}

ListedInstruction Listed(const MethodCode& code, Insn i) {
  const classfile::Instruction& instruction = code.at(i);
  ListedInstruction listed = FlowOf(code, i);
  listed.mnemonic = OpName(instruction.op);
  listed.operand = OperandText(code, i);
  if (IsInvoke(instruction.op) && instruction.op != classfile::Op::invokedynamic)
    listed.callee = listed.operand;
  return listed;
}

// Whether a descriptor has the types of a profile's signature: declaring type, return type, parameters.
bool HasTypes(const Profile& names, std::span<const TypeIndex> signature,
              std::string_view descriptor) {
  const auto types = SignatureOf(NormalizeUtf8(descriptor));
  return types && types->size() + 1 == signature.size() &&
         std::equal(types->begin(), types->end(), signature.begin() + 1,
                    [&](const std::string& type, TypeIndex known) {
                      return type == names.TypeName(known);
                    });
}

}  // namespace

ListedInstruction FlowOf(const MethodCode& code, Insn i) {
  const classfile::Instruction& instruction = code.at(i);
  ListedInstruction listed;
  listed.bci = Value(instruction.bci);
  listed.falls_through = !IsUnconditional(instruction.op);
  listed.is_handler = (instruction.flags & classfile::kIsHandler) != 0;
  if (!IsJump(instruction.op)) return listed;
  for (classfile::Slot slot = 1; slot < code.EndSlot(i); ++slot) {
    const Insn target = code.Successor(i, slot);
    if (target != MethodCode::kNone) listed.targets.push_back(Value(code.BciOf(target)));
  }
  if (IsSwitch(instruction.op))
    listed.targets.push_back(Value(code.BciOf(code.Successor(i, classfile::kSwitchDefault))));
  return listed;
}

std::string SourceFileOf(const ClassFile& file) {
  const uint8_t* const at = file.bytes().data() + file.attributes_offset();
  AttributeWalk walk(at + 2, classfile::LoadU2(at));
  for (AttributeView attribute; walk.Next(&attribute);) {
    if (file.pool().Utf8(attribute.name) == "SourceFile" && attribute.bytes.size() == 2)
      return NormalizeUtf8(
          file.pool().Utf8(classfile::CpIndex{classfile::LoadU2(attribute.bytes.data())}));
  }
  return {};
}

bool HasOtherCode(const MethodCode& code, uint64_t recorded) {
  classfile::SymbolicCode symbolic;
  return recorded != 0 && !IsSameCode(KeptCodeHash(instrument::CodeHash(code, symbolic)), recorded);
}

std::optional<MethodIndex> FindMethod(const Profile& profile, TypeIndex declaring,
                                      std::string_view name, std::string_view descriptor) {
  const auto types = SignatureOf(descriptor);
  if (!types) return std::nullopt;
  std::vector<TypeIndex> signature{declaring};
  for (const std::string& each : *types) {
    const auto known = profile.FindType(ToUtf8(each));
    if (!known) return std::nullopt;
    signature.push_back(*known);
  }
  return profile.FindMethod(ToUtf8(name), signature);
}

struct ClassListings::LoadedClass {
  std::vector<uint8_t> bytes;
  classfile::Arena memory{1024};
  ClassFile file;
  std::string source_file;
};

ClassListings::ClassListings(FindClass find, const SourceTexts* sources)
    : find_(std::move(find)), sources_(sources) {}
ClassListings::~ClassListings() = default;

const ClassListings::LoadedClass* ClassListings::Load(std::string_view name) {
  const auto [at, is_new] = classes_.try_emplace(std::string(name));
  if (!is_new) return at->second.get();
  std::optional<std::vector<uint8_t>> bytes = find_(name);
  auto loaded = std::make_unique<LoadedClass>();
  if (bytes) loaded->bytes = std::move(*bytes);
  if (!bytes || loaded->file.Parse(loaded->bytes, loaded->memory) != Reason::kOk) {
    ++missing_;
    return nullptr;
  }
  loaded->source_file = SourceFileOf(loaded->file);
  at->second = std::move(loaded);
  return at->second.get();
}

std::optional<MethodListing> ClassListings::Find(const Profile& names, MethodIndex method) {
  const std::span<const TypeIndex> signature = names.Signature(method);
  const LoadedClass* const loaded = Load(names.TypeName(signature[0]));
  if (loaded == nullptr) return std::nullopt;
  const ClassFile& file = loaded->file;
  for (const MemberInfo& member : file.methods()) {
    if (member.code_offset == 0 || NormalizeUtf8(file.NameOf(member)) != names.MethodName(method) ||
        !HasTypes(names, signature, file.DescriptorOf(member)))
      continue;
    classfile::Arena memory(4096);
    MethodCode code;
    if (code.Decode(file, member, memory) != Reason::kOk) return std::nullopt;
    if (HasOtherCode(code, names.CodeHash(method))) return std::nullopt;
    MethodListing listing;
    for (Insn i = 0; i < code.count(); ++i) listing.instructions.push_back(Listed(code, i));
    listing.lines = LinesOf(code);
    listing.source_file = loaded->source_file;
    AddSource(*loaded, listing);
    return listing;
  }
  return std::nullopt;
}

void ClassListings::AddSource(const LoadedClass& loaded, MethodListing& listing) const {
  if (sources_ == nullptr || listing.source_file.empty() || listing.lines.empty()) return;
  const std::vector<std::string>* const text =
      sources_->Find(NormalizeUtf8(loaded.file.name()), listing.source_file);
  if (text == nullptr) return;
  const auto by_line = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] =
      std::minmax_element(listing.lines.begin(), listing.lines.end(), by_line);
  int first = std::max(1, least->second - kLinesBefore);
  const int last = std::min(
      {static_cast<int>(text->size()), most->second + kLinesAfter, first + kMostSourceLines - 1});
  const auto is_blank = [&](int line) {
    return (*text)[static_cast<size_t>(line) - 1].find_first_not_of(" \t\r") == std::string::npos;
  };
  while (first <= last && first < least->second && is_blank(first)) ++first;
  if (first > last) return;
  listing.first_line = first;
  listing.source.assign(text->begin() + (first - 1), text->begin() + last);
}

}  // namespace iprof::report
