#include "agent/classfile/code.h"

#include <algorithm>

namespace iprof::classfile {

namespace {

constexpr uint32_t kShortestJump = LengthOf(Format::kBranch2);

}  // namespace

Reason MethodCode::Decode(const ClassFile& file, const MemberInfo& method, Arena& arena) {
  *this = MethodCode();
  file_ = &file;
  method_ = &method;
  if (method.code_offset == 0) return Reason::kNoCode;
  const std::string_view name = file.NameOf(method);
  is_constructor_ = name == "<init>";
  Reason r = ReadHeader();
  if (r == Reason::kOk) r = ReadInstructions(arena);
  if (r == Reason::kOk) r = CheckBranches();
  if (r == Reason::kOk) r = ReadExceptions(arena);
  return r;
}

Reason MethodCode::ReadHeader() {
  const uint8_t* attribute = file_->bytes().data() + method_->code_offset;
  ByteReader reader(ByteSpan(attribute + 6, LoadU4(attribute + 2)));
  short_header_ = file_->major_version() == 45 && file_->minor_version() < 3;
  uint32_t length = 0;
  if (short_header_) {
    max_stack_ = reader.U1();
    max_locals_ = reader.U1();
    length = reader.U2();
  } else {
    max_stack_ = reader.U2();
    max_locals_ = reader.U2();
    length = reader.U4();
  }
  const uint8_t* code = reader.at();
  if (length == 0 || length > 65535 || !reader.Skip(length)) return Reason::kBadCodeAttribute;
  code_ = ByteSpan(code, length);
  exception_count_ = reader.U2();
  exception_bytes_ = reader.at();
  if (!reader.Skip(size_t{exception_count_} * 8)) return Reason::kBadCodeAttribute;
  attribute_count_ = reader.U2();
  attributes_ = reader.at();
  for (uint32_t i = 0; i < attribute_count_; ++i) {
    reader.U2();
    if (!reader.Skip(reader.U4())) return Reason::kBadCodeAttribute;
  }
  return reader.ok() && reader.remaining() == 0 ? Reason::kOk : Reason::kBadCodeAttribute;
}

Reason MethodCode::ReadInstructions(Arena& arena) {
  const auto size = static_cast<uint32_t>(code_.size());
  const uint8_t* code = code_.data();
  index_at_ = arena.Allocate<uint16_t>(size);
  std::memset(index_at_, 0xFF, size * sizeof(uint16_t));
  jumps_ = arena.Allocate<uint16_t>(size / kShortestJump);
  insns_ = arena.Allocate<Instruction>(size);
  uint32_t n = 0;
  uint32_t jump_count = 0;
  uint32_t largest_constant = 0;
  bool has_ret = false;
  bool has_monitorenter = false;
  uint32_t at = 0;
  while (at < size) {
    const uint8_t opcode = code[at];
    if (opcode >= kOpCount) return Reason::kBadInstruction;
    Instruction& insn = insns_[n];
    insn = {Bci{static_cast<uint16_t>(at)}, static_cast<Op>(opcode), 0};
    index_at_[at] = static_cast<uint16_t>(n);
    const OpInfo& info = kOpInfo[opcode];
    // Two bytes can be read even if the code is truncated here, because the exception table's count
    // follows.
    const uint32_t constant = uint32_t{LoadU2(code + at + 1)} >> info.constant_shift;
    largest_constant = std::max(largest_constant, constant);
    if (IsJump(info.format)) {
      if (size - at < kShortestJump) return Reason::kBadInstruction;
      jumps_[jump_count++] = static_cast<uint16_t>(n);
    }
    has_ret |= insn.op == Op::ret;
    has_monitorenter |= insn.op == Op::monitorenter;
    ++n;
    uint32_t length = info.length;
    if (length == 0) {
      // A switch's operands start at the next multiple of four.
      const uint32_t operands = (at + 4) & ~3u;
      uint64_t wanted = 0;
      switch (insn.op) {
        case Op::tableswitch: {
          if (size < operands + 12) return Reason::kBadInstruction;
          const int64_t low = LoadS4(code + operands + 4);
          const int64_t high = LoadS4(code + operands + 8);
          if (low > high) return Reason::kBadInstruction;
          wanted = operands - at + 12 + static_cast<uint64_t>(high - low + 1) * 4;
          break;
        }
        case Op::lookupswitch: {
          if (size < operands + 8) return Reason::kBadInstruction;
          const int32_t pairs = LoadS4(code + operands + 4);
          if (pairs < 0) return Reason::kBadInstruction;
          wanted = operands - at + 8 + static_cast<uint64_t>(pairs) * 8;
          break;
        }
        default: {  // wide
          if (at + 1 >= size || code[at + 1] >= kOpCount) return Reason::kBadInstruction;
          insn.op = static_cast<Op>(code[at + 1]);
          insn.flags = kIsWide;
          const Format format = InfoOf(insn.op).format;
          if (format == Format::kLocal) {
            has_ret |= insn.op == Op::ret;
            wanted = 4;
          } else if (format == Format::kIinc) {
            wanted = 6;
          } else {
            return Reason::kBadInstruction;
          }
          break;
        }
      }
      if (wanted > size - at) return Reason::kBadInstruction;
      length = static_cast<uint32_t>(wanted);
    }
    at += length;
  }
  if (at != size) return Reason::kBadInstruction;
  // An index that the JVM refuses now must not become valid through a constant that we add.
  if (largest_constant >= file_->pool().count()) return Reason::kBadConstantReference;
  arena.Shrink(insns_, n);
  count_ = n;
  jump_count_ = jump_count;
  has_jsr_ = has_ret;
  has_monitorenter_ = has_monitorenter;
  return IsUnconditional(insns_[n - 1].op) ? Reason::kOk : Reason::kFallsOffEnd;
}

Reason MethodCode::CheckBranches() {
  const auto check = [this](Insn i, int32_t delta) {
    const Insn target = TargetAt(i, delta);
    if (target == kNone) return false;
    insns_[target].flags |= kIsBranchTarget;
    return true;
  };
  for (const Insn i : jumps()) {
    const Op op = insns_[i].op;
    switch (InfoOf(op).format) {
      case Format::kBranch2:
        if (!check(i, LoadS2(BytesOf(i) + 1))) return Reason::kBadBranch;
        has_jsr_ |= op == Op::jsr;
        break;
      case Format::kBranch4:
        if (!check(i, LoadS4(BytesOf(i) + 1))) return Reason::kBadBranch;
        has_jsr_ |= op == Op::jsr_w;
        break;
      case Format::kTableSwitch: {
        const uint8_t* p = SwitchOperands(i);
        const uint32_t keys = SwitchKeyCount(i);
        if (!check(i, LoadS4(p))) return Reason::kBadBranch;
        for (uint32_t k = 0; k < keys; ++k) {
          if (!check(i, LoadS4(p + 12 + k * 4))) return Reason::kBadBranch;
        }
        break;
      }
      case Format::kLookupSwitch: {
        const uint8_t* p = SwitchOperands(i);
        const uint32_t keys = SwitchKeyCount(i);
        if (!check(i, LoadS4(p))) return Reason::kBadBranch;
        for (uint32_t k = 0; k < keys; ++k) {
          if (!check(i, LoadS4(p + 12 + k * 8))) return Reason::kBadBranch;
        }
        break;
      }
      default:
        break;
    }
  }
  return Reason::kOk;
}

Reason MethodCode::ReadExceptions(Arena& arena) {
  exceptions_ = arena.Allocate<ExceptionEntry>(exception_count_);
  const uint8_t* p = exception_bytes_;
  for (uint32_t i = 0; i < exception_count_; ++i, p += 8) {
    ExceptionEntry& e = exceptions_[i];
    e.from = IndexAt(uint32_t{LoadU2(p)});
    e.to = BoundaryAt(LoadU2(p + 2));
    e.handler = IndexAt(uint32_t{LoadU2(p + 4)});
    e.catch_type = CpIndex{LoadU2(p + 6)};
    if (e.from == kNone || e.to == kNone || e.handler == kNone || e.from >= e.to ||
        Value(e.catch_type) >= file_->pool().count()) {
      return Reason::kBadExceptionTable;
    }
    insns_[e.handler].flags |= kIsHandler;
    if (e.from <= e.handler && e.handler < e.to) insns_[e.handler].flags |= kCatchesItself;
    if (e.catch_type == CpIndex::none) insns_[e.handler].flags |= kCatchesAny;
  }
  return Reason::kOk;
}

uint32_t MethodCode::Local(Insn i) const {
  const Instruction& insn = insns_[i];
  const uint8_t* p = BytesOf(i);
  if ((insn.flags & kIsWide) != 0) return LoadU2(p + 2);
  const Format format = InfoOf(insn.op).format;
  if (format == Format::kLocal || format == Format::kIinc) return p[1];
  const auto v = static_cast<uint32_t>(insn.op);
  constexpr auto kFirstLoad = static_cast<uint32_t>(Op::iload_0);
  constexpr auto kFirstStore = static_cast<uint32_t>(Op::istore_0);
  if (v >= kFirstLoad && v < kFirstLoad + 20) return (v - kFirstLoad) & 3;
  if (v >= kFirstStore && v < kFirstStore + 20) return (v - kFirstStore) & 3;
  return 0;
}

CpIndex MethodCode::Constant(Insn i) const {
  const Format format = InfoOf(insns_[i].op).format;
  if (!NamesConstant(format)) return CpIndex::none;
  const uint8_t* p = BytesOf(i);
  return format == Format::kCp1 ? CpIndex{p[1]} : CpIndex{LoadU2(p + 1)};
}

int32_t MethodCode::Immediate(Insn i) const {
  const uint8_t* p = BytesOf(i);
  switch (InfoOf(insns_[i].op).format) {
    case Format::kImm1:
      return insns_[i].op == Op::bipush ? static_cast<int8_t>(p[1]) : p[1];
    case Format::kImm2:
      return LoadS2(p + 1);
    case Format::kIinc:
      return (insns_[i].flags & kIsWide) != 0 ? LoadS2(p + 4) : static_cast<int8_t>(p[2]);
    default:
      return 0;
  }
}

uint32_t MethodCode::SwitchKeyCount(Insn i) const {
  const uint8_t* p = SwitchOperands(i);
  if (insns_[i].op == Op::lookupswitch) return LoadU4(p + 4);
  if (insns_[i].op != Op::tableswitch) return 0;
  return LoadU4(p + 8) - LoadU4(p + 4) + 1;
}

int32_t MethodCode::SwitchKey(Insn i, Slot slot) const {
  const uint8_t* p = SwitchOperands(i);
  if (insns_[i].op == Op::lookupswitch) return LoadS4(p + 8 * size_t{slot});
  return static_cast<int32_t>(LoadU4(p + 4) + slot - 1);
}

Slot MethodCode::EndSlot(Insn i) const {
  const Op op = insns_[i].op;
  if (IsSwitch(op)) return 1 + SwitchKeyCount(i);
  if (IsConditionalBranch(op) || IsGoto(op) || IsJsr(op)) return 2;
  return IsUnconditional(op) ? 0 : 1;
}

Insn MethodCode::Successor(Insn i, Slot slot) const {
  if (slot < FirstSlot(i) || slot >= EndSlot(i)) return kNone;
  const Op op = insns_[i].op;
  switch (InfoOf(op).format) {
    case Format::kTableSwitch:
      return TargetAt(i, LoadS4(SwitchOperands(i) + (slot == 0 ? 0 : 8 + 4 * size_t{slot})));
    case Format::kLookupSwitch:
      return TargetAt(i, LoadS4(SwitchOperands(i) + (slot == 0 ? 0 : 4 + 8 * size_t{slot})));
    case Format::kBranch2:
      if (slot == kTaken) return TargetAt(i, LoadS2(BytesOf(i) + 1));
      break;
    case Format::kBranch4:
      if (slot == kTaken) return TargetAt(i, LoadS4(BytesOf(i) + 1));
      break;
    default:
      break;
  }
  return i + 1;
}

}  // namespace iprof::classfile
