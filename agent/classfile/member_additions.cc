#include "agent/classfile/member_additions.h"

#include <algorithm>
#include <cstring>

#include "agent/classfile/descriptor.h"
#include "agent/classfile/opcodes.h"

namespace iprof::classfile {
namespace {

constexpr uint32_t kMostMembers = 65535;

// The return instruction for a type.
uint8_t ReturnOf(const TypeView& type) {
  switch (type.kind == 'V' ? 'V' : type.load_kind()) {
    case 'I':
      return static_cast<uint8_t>(Op::ireturn);
    case 'J':
      return static_cast<uint8_t>(Op::lreturn);
    case 'F':
      return static_cast<uint8_t>(Op::freturn);
    case 'D':
      return static_cast<uint8_t>(Op::dreturn);
    case 'A':
      return static_cast<uint8_t>(Op::areturn);
    default:
      return static_cast<uint8_t>(Op::return_);
  }
}

// iload_0, lload_1 and so on.
uint8_t LoadOf(const TypeView& type, int local) {
  int kind = 0;
  switch (type.load_kind()) {
    case 'J':
      kind = 1;
      break;
    case 'F':
      kind = 2;
      break;
    case 'D':
      kind = 3;
      break;
    case 'A':
      kind = 4;
      break;
    default:
      break;
  }
  return static_cast<uint8_t>(static_cast<int>(Op::iload_0) + 4 * kind + local);
}

}  // namespace

void MemberAdditions::AddField(uint16_t access, std::string_view name,
                               std::string_view descriptor) {
  ++field_count_;
  fields_.U2(access);
  fields_.U2(Value(pool_.Utf8(name)));
  fields_.U2(Value(pool_.Utf8(descriptor)));
  fields_.U2(0);  // attributes
}

void MemberAdditions::AddForwarder(uint16_t access, std::string_view name,
                                   std::string_view descriptor, std::string_view target_class,
                                   std::string_view target_method, Inlined inlined) {
  constexpr int kMostSlots = 4;
  constexpr int kTooManyLocalsForC1 = 12;
  uint8_t code[kMostSlots + 4];
  uint32_t length = 0;
  int slots = 0;
  DescriptorWalk walk(descriptor);
  TypeView type;
  while (walk.NextArgument(&type)) {
    if (slots + type.slots() > kMostSlots) {
      Fail(Reason::kBadDescriptor);
      return;
    }
    code[length++] = LoadOf(type, slots);
    slots += type.slots();
  }
  if (!walk.Result(&type)) {
    Fail(Reason::kBadDescriptor);
    return;
  }
  code[length++] = static_cast<uint8_t>(Op::invokestatic);
  StoreU2(code + length, Value(pool_.Method(target_class, target_method, descriptor)));
  length += 2;
  code[length++] = ReturnOf(type);

  ++method_count_;
  methods_.U2(access);
  methods_.U2(Value(pool_.Utf8(name)));
  methods_.U2(Value(pool_.Utf8(descriptor)));
  methods_.U2(inlined == Inlined::kAlways ? 2 : 1);  // attributes
  methods_.U2(Value(pool_.Utf8("Code")));
  methods_.U4(12 + length);
  methods_.U2(static_cast<uint32_t>(std::max(slots, type.slots())));
  methods_.U2(static_cast<uint32_t>(slots) +
              (inlined == Inlined::kOnlyC2 ? kTooManyLocalsForC1 : 0));
  methods_.U4(length);
  methods_.Append(code, length);
  methods_.U2(0);  // exception table
  methods_.U2(0);  // attributes
  if (inlined != Inlined::kAlways) return;
  methods_.U2(Value(pool_.Utf8("RuntimeVisibleAnnotations")));
  methods_.U4(6);
  methods_.U2(1);
  methods_.U2(Value(pool_.Utf8("Ljdk/internal/vm/annotation/ForceInline;")));
  methods_.U2(0);
}

Reason MemberAdditions::Finish(ByteSpan* result) {
  const ByteSpan in = file_.bytes();
  const size_t fields_at = file_.pool().end_offset() + 8 + 2 * file_.interfaces().size();
  const size_t fields_end = file_.methods_offset();
  const size_t methods_end = file_.attributes_offset();
  const size_t fields = file_.fields().size() + field_count_;
  const size_t methods = file_.methods().size() + method_count_;
  if (fields > kMostMembers || methods > kMostMembers) Fail(Reason::kTableTooLong);
  if (pool_.full()) Fail(Reason::kConstantPoolFull);
  if (reason_ != Reason::kOk) return reason_;

  const size_t size = in.size() + pool_.byte_size() + fields_.size() + methods_.size();
  auto* const bytes = arena_.Allocate<uint8_t>(size);
  uint8_t* to = bytes;
  size_t from = 0;
  const auto copy_until = [&](size_t end) {
    std::memcpy(to, in.data() + from, end - from);
    to += end - from;
    from = end;
  };
  const auto insert = [&](ByteBuffer& added) {
    if (added.size() != 0) std::memcpy(to, added.data(), added.size());
    to += added.size();
  };
  const auto count = [&](size_t value) {
    StoreU2(to, static_cast<uint32_t>(value));
    to += 2;
    from += 2;
  };
  copy_until(file_.pool().end_offset());
  StoreU2(bytes + 8, pool_.pool_count());
  pool_.Write(to);
  to += pool_.byte_size();
  copy_until(fields_at);
  count(fields);
  copy_until(fields_end);
  insert(fields_);
  count(methods);
  copy_until(methods_end);
  insert(methods_);
  copy_until(in.size());
  *result = {bytes, size};
  return Reason::kOk;
}

}  // namespace iprof::classfile
