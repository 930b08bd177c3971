#include "agent/classfile/snippet.h"

#include <algorithm>

#include "agent/classfile/bytes.h"
#include "agent/classfile/descriptor.h"

namespace iprof::classfile {

namespace {

constexpr uint32_t kMaxBytes = 65535;

uint8_t Byte(Op op) { return static_cast<uint8_t>(op); }

int KindIndex(char type) {
  switch (type) {
    case 'I':
      return 0;
    case 'J':
      return 1;
    case 'F':
      return 2;
    case 'D':
      return 3;
    default:
      return 4;
  }
}
int KindSlots(char type) { return type == 'J' || type == 'D' ? 2 : 1; }

}  // namespace

SnippetBuilder& SnippetBuilder::Emit(const uint8_t* bytes, uint32_t count, int pops, int pushes) {
  if (depth_ < pops) Fail(Reason::kBadSnippet);
  depth_ += pushes - pops;
  max_ = std::max(max_, depth_);
  if (depth_ > 60000 || length_ + count > kMaxBytes) {
    Fail(Reason::kBadSnippet);
    return *this;
  }
  if (bytes_ == nullptr) {
    bytes_ = inline_bytes_;
    capacity_ = sizeof(inline_bytes_);
  }
  if (length_ + count > capacity_) {
    const uint32_t capacity = std::max(capacity_ * 2, length_ + count);
    auto* grown = arena_->Allocate<uint8_t>(capacity);
    std::memcpy(grown, bytes_, length_);
    bytes_ = grown;
    capacity_ = capacity;
  }
  std::memcpy(bytes_ + length_, bytes, count);
  length_ += count;
  return *this;
}

SnippetBuilder& SnippetBuilder::PushInt(int32_t value) {
  if (value >= -1 && value <= 5) return Raw(static_cast<Op>(Byte(Op::iconst_0) + value));
  if (value >= -128 && value <= 127) {
    const uint8_t b[] = {Byte(Op::bipush), static_cast<uint8_t>(value)};
    return Emit(b, 2, 0, 1);
  }
  if (value >= -32768 && value <= 32767) return Sipush(static_cast<int16_t>(value));
  return LoadConstant(pool_->Integer(value));
}

SnippetBuilder& SnippetBuilder::Sipush(int16_t value) {
  uint8_t b[3] = {Byte(Op::sipush)};
  StoreU2(b + 1, static_cast<uint16_t>(value));
  return Emit(b, 3, 0, 1);
}

SnippetBuilder& SnippetBuilder::Raw(Op op) {
  const OpInfo& info = InfoOf(op);
  // Only instructions that neither jump nor end the method. Monitor instructions would unbalance
  // it.
  if (info.format != Format::kNone || IsUnconditional(op) || op == Op::monitorenter ||
      op == Op::monitorexit) {
    Fail(Reason::kBadSnippet);
    return *this;
  }
  const uint8_t b[] = {Byte(op)};
  return Emit(b, 1, info.pops, info.pushes);
}

SnippetBuilder& SnippetBuilder::LocalOp(Op op, uint16_t local, int pops, int pushes) {
  if (local <= 255) {
    const uint8_t b[] = {Byte(op), static_cast<uint8_t>(local)};
    return Emit(b, 2, pops, pushes);
  }
  uint8_t b[4] = {Byte(Op::wide), Byte(op)};
  StoreU2(b + 2, local);
  return Emit(b, 4, pops, pushes);
}

SnippetBuilder& SnippetBuilder::LoadOwn(char type, uint16_t local) {
  if (local <= 3) {
    const int short_form = Byte(Op::iload_0) + 4 * KindIndex(type) + local;
    const uint8_t b[] = {static_cast<uint8_t>(short_form)};
    return Emit(b, 1, 0, KindSlots(type));
  }
  return LocalOp(static_cast<Op>(Byte(Op::iload) + KindIndex(type)), local, 0, KindSlots(type));
}

SnippetBuilder& SnippetBuilder::Load(char type, FreshLocal local) {
  return LoadOwn(type, local.index);
}

SnippetBuilder& SnippetBuilder::Store(char type, FreshLocal local) {
  if (local.index <= 3) {
    const int short_form = Byte(Op::istore_0) + 4 * KindIndex(type) + local.index;
    const uint8_t b[] = {static_cast<uint8_t>(short_form)};
    return Emit(b, 1, KindSlots(type), 0);
  }
  return LocalOp(static_cast<Op>(Byte(Op::istore) + KindIndex(type)), local.index, KindSlots(type),
                 0);
}

SnippetBuilder& SnippetBuilder::Iinc(FreshLocal local, int16_t by) {
  if (local.index <= 255 && by >= -128 && by <= 127) {
    const uint8_t b[] = {Byte(Op::iinc), static_cast<uint8_t>(local.index),
                         static_cast<uint8_t>(by)};
    return Emit(b, 3, 0, 0);
  }
  uint8_t b[6] = {Byte(Op::wide), Byte(Op::iinc)};
  StoreU2(b + 2, local.index);
  StoreU2(b + 4, static_cast<uint16_t>(by));
  return Emit(b, 6, 0, 0);
}

SnippetBuilder& SnippetBuilder::Invoke(Op op, CpIndex constant, int pops, int pushes) {
  if (constant == CpIndex::none) Fail(Reason::kConstantPoolFull);
  uint8_t b[5] = {Byte(op)};
  StoreU2(b + 1, Value(constant));
  uint32_t length = InfoOf(op).length;
  if (op == Op::invokeinterface) b[3] = static_cast<uint8_t>(pops);
  if (length != 3 && length != 5) {
    Fail(Reason::kBadSnippet);
    return *this;
  }
  return Emit(b, length, pops, pushes);
}

SnippetBuilder& SnippetBuilder::GetStatic(CpIndex field, int slots) {
  return Invoke(Op::getstatic, field, 0, slots);
}

SnippetBuilder& SnippetBuilder::GetStatic(std::string_view owner, std::string_view name,
                                          std::string_view descriptor) {
  const int slots = FieldSlots(descriptor);
  if (slots < 0) Fail(Reason::kBadSnippet);
  return GetStatic(pool_->Field(owner, name, descriptor), slots);
}

SnippetBuilder& SnippetBuilder::InvokeStatic(CpIndex method, int argument_slots, int result_slots) {
  return Invoke(Op::invokestatic, method, argument_slots, result_slots);
}

SnippetBuilder& SnippetBuilder::InvokeStatic(std::string_view owner, std::string_view name,
                                             std::string_view descriptor) {
  const MethodSlots slots = CountSlots(descriptor);
  if (!slots.ok) Fail(Reason::kBadSnippet);
  return InvokeStatic(pool_->Method(owner, name, descriptor), slots.arguments, slots.result);
}

SnippetBuilder& SnippetBuilder::LoadConstant(CpIndex constant) {
  if (constant == CpIndex::none) Fail(Reason::kConstantPoolFull);
  if (Value(constant) <= 255) {
    const uint8_t b[] = {Byte(Op::ldc), static_cast<uint8_t>(Value(constant))};
    return Emit(b, 2, 0, 1);
  }
  uint8_t b[3] = {Byte(Op::ldc_w)};
  StoreU2(b + 1, Value(constant));
  return Emit(b, 3, 0, 1);
}

Snippet SnippetBuilder::Finish() {
  Snippet snippet;
  if (depth_ != base_ - consumed_) Fail(Reason::kBadSnippet);
  snippet.reason = reason_;
  if (snippet.valid()) {
    auto* copy = arena_->Allocate<uint8_t>(length_);
    if (length_ != 0) std::memcpy(copy, bytes_, length_);
    snippet.bytes = copy;
    snippet.length = length_;
    snippet.extra_stack = static_cast<uint16_t>(max_ - base_);
    snippet.consumed = static_cast<uint16_t>(consumed_);
  }
  reason_ = Reason::kOk;
  depth_ = max_ = base_;
  length_ = 0;
  return snippet;
}

}  // namespace iprof::classfile
