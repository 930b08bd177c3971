#include "java-tests/native/classfile/class_outline.h"

#include "agent/classfile/frames.h"
#include "agent/classfile/opcodes.h"

namespace iprof::classfile {

namespace {

// The length of the instruction at `at`, or 0 if it is unknown or does not fit.
uint32_t InstructionLength(ByteSpan code, uint32_t at) {
  const auto size = static_cast<uint32_t>(code.size());
  if (code[at] >= kOpCount) return 0;
  uint64_t length = kOpInfo[code[at]].length;
  const uint32_t operands = (at + 4) & ~3u;
  switch (kOpInfo[code[at]].format) {
    case Format::kTableSwitch: {
      if (operands + 12 > size) return 0;
      const int64_t low = LoadS4(&code[operands + 4]);
      const int64_t high = LoadS4(&code[operands + 8]);
      if (low > high) return 0;
      length = operands - at + 12 + static_cast<uint64_t>(high - low + 1) * 4;
      break;
    }
    case Format::kLookupSwitch:
      if (operands + 8 > size) return 0;
      length = operands - at + 8 + uint64_t{LoadU4(&code[operands + 4])} * 8;
      break;
    case Format::kWide:
      if (at + 1 >= size) return 0;
      length = static_cast<Op>(code[at + 1]) == Op::iinc ? 6 : 4;
      break;
    default:
      break;
  }
  return length <= size - at ? static_cast<uint32_t>(length) : 0;
}

bool SkipVerificationTypes(ByteReader& reader, uint32_t count) {
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    if (reader.U1() >= kItemObject) reader.U2();
  }
  return reader.ok();
}

bool SkipFrame(ByteReader& reader) {
  const uint32_t tag = reader.U1();
  if (tag < 64) return reader.ok();
  if (tag < 128) return SkipVerificationTypes(reader, 1);
  reader.U2();
  if (tag == 247) return SkipVerificationTypes(reader, 1);
  if (tag > 251 && tag < 255) return SkipVerificationTypes(reader, tag - 251);
  if (tag < 255) return reader.ok();
  return SkipVerificationTypes(reader, reader.U2()) && SkipVerificationTypes(reader, reader.U2());
}

}  // namespace

bool ClassOutline::Read(ByteSpan bytes) {
  arena_.Reset();
  stretches_.clear();
  tables_.clear();
  codes_.clear();
  if (file_.Parse(bytes, arena_) != Reason::kOk) return false;

  const auto interfaces_at = static_cast<uint32_t>(file_.pool().end_offset()) + 6;
  ElementTable interfaces = {TableKind::kInterfaces, interfaces_at, kOutside, kOutside, {}};
  for (uint32_t i = 0; i <= file_.interfaces().size(); ++i) {
    interfaces.starts.push_back(interfaces_at + 2 + i * 2);
  }
  const uint32_t fields_at = interfaces.starts.back();
  tables_.push_back(std::move(interfaces));
  ReadMembers(TableKind::kFields, fields_at, file_.fields());
  ReadMembers(TableKind::kMethods, static_cast<uint32_t>(file_.methods_offset()), file_.methods());
  ReadAttributes(static_cast<uint32_t>(file_.attributes_offset()),
                 static_cast<uint32_t>(bytes.size()), kOutside, kOutside);
  return true;
}

void ClassOutline::ReadMembers(TableKind kind, uint32_t at, std::span<const MemberInfo> members) {
  ElementTable table = {kind, at, kOutside, kOutside, {at + 2}};
  for (const MemberInfo& member : members) {
    ReadAttributes(member.offset + 6, member.end, kOutside, kOutside);
    table.starts.push_back(member.end);
  }
  tables_.push_back(std::move(table));
}

uint32_t ClassOutline::ReadAttributes(uint32_t at, uint32_t end, int parent, int code) {
  ByteReader reader(file_.bytes().first(end));
  reader.Skip(at);
  ElementTable table = {TableKind::kAttributes, at, parent, code, {at + 2}};
  const uint32_t count = reader.U2();
  for (uint32_t i = 0; i < count; ++i) {
    const CpIndex name{reader.U2()};
    const auto field = static_cast<uint32_t>(reader.position());
    if (!reader.Skip(reader.U4()) || !reader.ok()) return 0;
    const auto next = static_cast<uint32_t>(reader.position());
    stretches_.push_back({field, 4, field + 4, next, parent});
    table.starts.push_back(next);
    ReadAttribute(file_.pool().Utf8(name), static_cast<int>(stretches_.size()) - 1, code);
  }
  if (!reader.ok()) return 0;
  tables_.push_back(std::move(table));
  return static_cast<uint32_t>(reader.position());
}

void ClassOutline::ReadAttribute(std::string_view name, int stretch, int code) {
  if (name == "Code" && code == kOutside) {
    ReadCode(stretch);
  } else if (code == kOutside) {
    return;  // the tables below occur only in code
  } else if (name == "LineNumberTable") {
    ReadRows(TableKind::kLines, 4, stretch, code);
  } else if (name == "LocalVariableTable" || name == "LocalVariableTypeTable") {
    ReadRows(TableKind::kVariables, 10, stretch, code);
  } else if (name == "CharacterRangeTable") {
    ReadRows(TableKind::kRanges, 14, stretch, code);
  } else if (name == "StackMapTable") {
    ReadFrames(stretch, code);
  }
}

void ClassOutline::ReadCode(int stretch) {
  const Stretch whole = stretches_[static_cast<size_t>(stretch)];
  ByteReader reader(file_.bytes().first(whole.end));
  reader.Skip(whole.begin);
  const bool short_header = file_.major_version() == 45 && file_.minor_version() < 3;
  reader.Skip(short_header ? 2 : 4);
  const auto field = static_cast<uint32_t>(reader.position());
  const uint32_t length = short_header ? reader.U2() : reader.U4();
  if (!reader.ok() || !reader.Skip(length)) return;
  const uint32_t width = short_header ? 2 : 4;
  stretches_.push_back({field, width, field + width, field + width + length, stretch});
  const auto code = static_cast<int>(codes_.size());
  codes_.push_back({whole.begin, static_cast<int>(stretches_.size()) - 1,
                    ReadBoundaries(field + width, field + width + length)});

  const auto exceptions_at = static_cast<uint32_t>(reader.position());
  const uint32_t exceptions = reader.U2();
  if (!reader.ok() || !reader.Skip(size_t{exceptions} * 8)) return;
  ElementTable table = {TableKind::kExceptions, exceptions_at, stretch, code, {}};
  for (uint32_t i = 0; i <= exceptions; ++i) table.starts.push_back(exceptions_at + 2 + i * 8);
  tables_.push_back(std::move(table));
  ReadAttributes(static_cast<uint32_t>(reader.position()), whole.end, stretch, code);
}

std::vector<uint32_t> ClassOutline::ReadBoundaries(uint32_t begin, uint32_t end) const {
  const ByteSpan code = file_.bytes().subspan(begin, end - begin);
  std::vector<uint32_t> boundaries;
  uint32_t at = 0;
  while (at < code.size()) {
    boundaries.push_back(at);
    const uint32_t length = InstructionLength(code, at);
    if (length == 0) break;
    at += length;
  }
  boundaries.push_back(end - begin);
  return boundaries;
}

void ClassOutline::ReadRows(TableKind kind, uint32_t width, int stretch, int code) {
  const Stretch& whole = stretches_[static_cast<size_t>(stretch)];
  if (whole.end - whole.begin < 2) return;
  const uint32_t count = LoadU2(&file_.bytes()[whole.begin]);
  if (uint64_t{count} * width > whole.end - whole.begin - 2) return;
  ElementTable table = {kind, whole.begin, stretch, code, {}};
  for (uint32_t i = 0; i <= count; ++i) table.starts.push_back(whole.begin + 2 + i * width);
  tables_.push_back(std::move(table));
}

void ClassOutline::ReadFrames(int stretch, int code) {
  const Stretch& whole = stretches_[static_cast<size_t>(stretch)];
  ByteReader reader(file_.bytes().first(whole.end));
  reader.Skip(whole.begin);
  const uint32_t count = reader.U2();
  ElementTable table = {TableKind::kFrames, whole.begin, stretch, code, {whole.begin + 2}};
  for (uint32_t i = 0; i < count; ++i) {
    if (!SkipFrame(reader)) return;
    table.starts.push_back(static_cast<uint32_t>(reader.position()));
  }
  if (reader.ok()) tables_.push_back(std::move(table));
}

}  // namespace iprof::classfile
