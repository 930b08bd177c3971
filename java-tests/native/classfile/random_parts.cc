#include "java-tests/native/classfile/random_parts.h"

#include <algorithm>
#include <utility>

#include "agent/classfile/opcodes.h"

namespace iprof::classfile {

namespace {

// The kind of constant that an instruction names.
Tag NamedBy(Op op) {
  switch (op) {
    case Op::getstatic:
    case Op::putstatic:
    case Op::getfield:
    case Op::putfield:
      return Tag::kFieldref;
    case Op::invokevirtual:
    case Op::invokespecial:
    case Op::invokestatic:
      return Tag::kMethodref;
    case Op::invokeinterface:
      return Tag::kInterfaceMethodref;
    case Op::invokedynamic:
      return Tag::kInvokeDynamic;
    case Op::ldc2_w:
      return Tag::kLong;
    case Op::ldc:
    case Op::ldc_w:
      return Tag::kString;
    default:
      return Tag::kClass;
  }
}

}  // namespace

uint32_t RandomParts::Boundary(const CodeOutline& code) {
  const auto count = static_cast<uint32_t>(code.boundaries.size());
  return random_->OneIn(16) ? code.boundaries.back()
                            : code.boundaries[random_->Next(std::max(count, 2u) - 1)];
}

uint16_t RandomParts::Constant() {
  return static_cast<uint16_t>(random_->Next(outline_->file().pool().count()));
}

uint16_t RandomParts::Constant(Tag tag) {
  const ConstantPool& pool = outline_->file().pool();
  // Sometimes search from the newest constant, so that appended ones are used.
  const uint32_t first = random_->OneIn(3) ? pool.count() - 1 : random_->Next(pool.count());
  for (uint32_t i = 0; i < pool.count(); ++i) {
    const auto index = static_cast<uint16_t>((first + pool.count() - i) % pool.count());
    if (pool.tag(CpIndex{index}) == tag) return index;
  }
  return Constant();
}

uint16_t RandomParts::OddNumber() {
  static constexpr uint16_t kNumbers[] = {0,   1,   2,   3,     4,     7,     8,    127,
                                          128, 255, 256, 32767, 32768, 65534, 65535};
  return kNumbers[random_->Next(std::size(kNumbers))];
}

ByteVector RandomParts::Instruction(const CodeOutline& code, uint32_t offset, uint32_t room) {
  const auto op = static_cast<Op>(random_->Next(kOpCount));
  const OpInfo& info = InfoOf(op);
  if (info.length > room) return {};
  ByteVector out;
  Put(&out, op);
  switch (info.format) {
    case Format::kNone:
      break;
    case Format::kImm1:
      PutU1(&out, 4 + random_->Next(8));  // newarray takes 4 … 11
      break;
    case Format::kLocal:
      PutU1(&out, random_->Next(6));
      break;
    case Format::kCp1:
      PutU1(&out, Constant(NamedBy(op)));
      break;
    case Format::kIinc:
      PutU1(&out, random_->Next(6));
      PutU1(&out, random_->Next(256));
      break;
    case Format::kImm2:
      PutU2(&out, OddNumber());
      break;
    case Format::kBranch2:
      PutU2(&out, Boundary(code) - offset);
      break;
    case Format::kBranch4:
      PutU4(&out, Boundary(code) - offset);
      break;
    case Format::kWide:
      if (room < 6) return {};
      if (random_->OneIn(2)) {
        Put(&out, Op::iinc);
        PutU2(&out, random_->Next(300));
        PutU2(&out, OddNumber());
      } else {
        static constexpr Op kWidened[] = {Op::iload, Op::aload, Op::lload, Op::istore, Op::ret};
        Put(&out, kWidened[random_->Next(std::size(kWidened))]);
        PutU2(&out, random_->Next(300));
      }
      break;
    case Format::kTableSwitch:
    case Format::kLookupSwitch:
      return Switch(code, offset, room);
    default:
      PutU2(&out, Constant(NamedBy(op)));
      if (info.length == 4) PutU1(&out, 1 + random_->Next(2));
      if (info.length == 5) {
        PutU1(&out, op == Op::invokeinterface ? 1 + random_->Next(3) : 0);
        PutU1(&out, 0);
      }
      break;
  }
  return out;
}

ByteVector RandomParts::Switch(const CodeOutline& code, uint32_t offset, uint32_t room) {
  const bool table = random_->OneIn(2);
  const uint32_t keys = random_->Next(4) + (table ? 1 : 0);
  ByteVector out;
  Put(&out, table ? Op::tableswitch : Op::lookupswitch);
  while ((offset + out.size()) % 4 != 0) PutU1(&out, 0);
  PutU4(&out, Boundary(code) - offset);
  const uint32_t low = OddNumber();
  PutU4(&out, table ? low : keys);
  if (table) PutU4(&out, low + keys - 1);
  for (uint32_t k = 0; k < keys; ++k) {
    if (!table) PutU4(&out, low + k * (1 + random_->Next(3)));
    PutU4(&out, Boundary(code) - offset);
  }
  return out.size() <= room ? out : ByteVector();
}

ByteVector RandomParts::Instructions(const CodeOutline& code, uint32_t offset, uint32_t room) {
  ByteVector out;
  const auto add = [&](const ByteVector& more) { out.insert(out.end(), more.begin(), more.end()); };
  const uint32_t wanted = 1 + random_->Next(6);
  for (uint32_t i = 0; i < wanted; ++i) {
    const auto at = [&] { return static_cast<uint32_t>(offset + out.size()); };
    const auto left = [&] { return static_cast<uint32_t>(room - out.size()); };
    if (left() < 2) break;
    switch (random_->Next(6)) {
      case 0:  // a value, dropped at once
        Put(&out, Op::aconst_null);
        Put(&out, Op::pop);
        break;
      case 1:  // a decision
        if (left() < 4) break;
        Put(&out, Op::iconst_0);
        Put(&out, Op::ifeq);
        PutU2(&out, Boundary(code) - (at() - 1));
        break;
      case 2:
        Put(&out, Op::iconst_1);
        if (const ByteVector choice = Switch(code, at(), left()); !choice.empty()) {
          add(choice);
        } else {
          Put(&out, Op::pop);
        }
        break;
      case 3:  // an object that is not initialised yet
        if (left() < 4) break;
        Put(&out, Op::new_);
        PutU2(&out, Constant(Tag::kClass));
        Put(&out, Op::pop);
        break;
      default:
        add(Instruction(code, at(), left()));
        break;
    }
  }
  return out;
}

}  // namespace iprof::classfile
