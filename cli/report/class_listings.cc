#include "cli/report/class_listings.h"

#include <algorithm>
#include <utility>

#include "agent/classfile/code.h"
#include "agent/instrument/table/code_hash.h"
#include "cli/report/operands.h"
#include "writer/base/utf8.h"
#include "writer/model/code_hashes.h"
#include "writer/names/type_names.h"

namespace iprof::report {
namespace {

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

ListedInstruction Listed(const MethodCode& code, Insn i) {
  const classfile::Instruction& instruction = code.at(i);
  ListedInstruction listed;
  listed.bci = Value(instruction.bci);
  listed.mnemonic = OpName(instruction.op);
  listed.operand = OperandText(code, i);
  listed.falls_through = !IsUnconditional(instruction.op);
  listed.is_handler = (instruction.flags & classfile::kIsHandler) != 0;
  if (IsInvoke(instruction.op) && instruction.op != classfile::Op::invokedynamic)
    listed.callee = listed.operand;
  if (!IsJump(instruction.op)) return listed;
  for (classfile::Slot slot = 1; slot < code.EndSlot(i); ++slot) {
    const Insn target = code.Successor(i, slot);
    if (target != MethodCode::kNone) listed.targets.push_back(Value(code.BciOf(target)));
  }
  if (IsSwitch(instruction.op))
    listed.targets.push_back(Value(code.BciOf(code.Successor(i, classfile::kSwitchDefault))));
  return listed;
}

// Whether the profile knows that the method had other code than this when it was recorded.
bool HasOtherCode(const MethodCode& code, uint64_t recorded) {
  classfile::SymbolicCode symbolic;
  return recorded != 0 && !IsSameCode(KeptCodeHash(instrument::CodeHash(code, symbolic)), recorded);
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
