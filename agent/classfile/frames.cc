#include "agent/classfile/frames.h"

#include <algorithm>

#include "agent/classfile/descriptor.h"

namespace iprof::classfile {

namespace {

// More expanded items than this are out of proportion to any real method.
constexpr uint64_t kMaxExpandedItems = 1u << 20;

uint32_t SlotsOf(uint8_t tag) { return tag == kItemLong || tag == kItemDouble ? 2 : 1; }

// Skips one verification type and adds its slots. Returns false if it is damaged.
bool SkipType(ByteReader& reader, const MethodCode& code, uint32_t* slots) {
  const uint8_t tag = reader.U1();
  *slots += SlotsOf(tag);
  if (tag < kItemObject) return reader.ok();
  const uint16_t value = reader.U2();
  if (!reader.ok()) return false;
  if (tag == kItemObject) return value < code.file().pool().count();
  if (tag != kItemUninitialized) return false;
  const Insn creation = code.IndexAt(uint32_t{value});
  return creation != MethodCode::kNone && code.at(creation).op == Op::new_;
}

VerificationType TakeType(ByteReader& reader) {
  const auto tag = static_cast<VerificationTag>(reader.U1());
  return {tag, 0, tag >= kItemObject ? reader.U2() : uint16_t{0}};
}

}  // namespace

Reason FrameTable::Read(MethodCode& code, Arena& arena) {
  const Reason r = Find(code, arena);
  for (const FrameRef& f : frames()) code.MarkFrame(f.insn);
  return r;
}

Reason FrameTable::Find(const MethodCode& code, Arena& arena) {
  *this = FrameTable();
  AttributeWalk walk = code.attributes();
  AttributeView attribute;
  ByteSpan table;
  while (walk.Next(&attribute)) {
    if (code.file().pool().Utf8(attribute.name) != "StackMapTable") continue;
    if (table.data() != nullptr) return Reason::kBadFrames;
    table = attribute.bytes;
  }
  if (table.data() == nullptr) return Reason::kOk;
  const Reason r = Scan(code, table, arena);
  if (r != Reason::kOk) {
    *this = FrameTable();
    return code.file().major_version() < 50 ? Reason::kOk : r;
  }
  return Reason::kOk;
}

Reason FrameTable::Scan(const MethodCode& code, ByteSpan table, Arena& arena) {
  ByteReader reader(table);
  const uint32_t n = reader.U2();
  if (!reader.ok() || n > table.size()) return Reason::kBadFrames;
  frames_ = arena.Allocate<FrameRef>(n);
  bytes_ = table.data();
  count_ = n;
  int64_t bci = -1;
  for (uint32_t k = 0; k < n; ++k) {
    const size_t start = reader.position();
    const uint8_t tag = reader.U1();
    uint32_t delta = 0;
    uint32_t stack_slots = 0;
    uint32_t local_slots = 0;
    bool ok = true;
    if (tag < 64) {
      delta = tag;
    } else if (tag < 128) {
      delta = tag - 64u;
      ok = SkipType(reader, code, &stack_slots);
    } else if (tag < 247) {
      return Reason::kBadFrames;
    } else {
      delta = reader.U2();
      if (tag == 247) {
        ok = SkipType(reader, code, &stack_slots);
      } else if (tag > 251 && tag < 255) {
        for (uint32_t i = 251; i < tag && ok; ++i) ok = SkipType(reader, code, &local_slots);
      } else if (tag == 255) {
        const uint32_t locals = reader.U2();
        for (uint32_t i = 0; i < locals && ok; ++i) ok = SkipType(reader, code, &local_slots);
        const uint32_t stack = reader.U2();
        for (uint32_t i = 0; i < stack && ok; ++i) ok = SkipType(reader, code, &stack_slots);
      }
    }
    bci += int64_t{delta} + 1;
    const Insn insn = code.IndexAt(static_cast<uint32_t>(std::min<int64_t>(bci, 65535)));
    if (!ok || !reader.ok() || insn == MethodCode::kNone || stack_slots > code.max_stack() ||
        local_slots > code.max_locals()) {
      return Reason::kBadFrames;
    }
    frames_[k] = {insn, static_cast<uint32_t>(start),
                  static_cast<uint32_t>(reader.position() - start),
                  static_cast<uint16_t>(stack_slots)};
  }
  return reader.remaining() == 0 ? Reason::kOk : Reason::kBadFrames;
}

uint32_t FrameTable::FrameAt(Insn i) const {
  const FrameRef* f = std::lower_bound(frames_, frames_ + count_, i,
                                       [](const FrameRef& a, Insn b) { return a.insn < b; });
  return static_cast<uint32_t>(f - frames_);
}

Reason FrameTable::Expand(const MethodCode& code, const uint8_t* wanted, FullFrame* out,
                          FullFrame* initial, Arena& arena) const {
  const uint32_t capacity = code.max_locals();
  auto* locals = arena.Allocate<VerificationType>(capacity);
  uint32_t count = 0;
  uint32_t slots = 0;
  const auto add = [&](VerificationType type) {
    slots += SlotsOf(type.tag);
    if (slots > capacity) return false;
    locals[count++] = type;
    return true;
  };
  if (!code.is_static()) {
    const bool fresh = code.is_constructor() && code.file().super_class() != CpIndex::none;
    const VerificationType self = {fresh ? kItemUninitializedThis : kItemObject, 0,
                                   fresh ? uint16_t{0} : Value(code.file().this_class())};
    if (!add(self)) return Reason::kBadFrames;
  }
  DescriptorWalk walk(code.file().DescriptorOf(code.method()));
  TypeView type;
  for (uint16_t argument = 0; walk.NextArgument(&type); ++argument) {
    VerificationType item = {kItemInteger, 0, 0};
    switch (type.load_kind()) {
      case 'J':
        item.tag = kItemLong;
        break;
      case 'F':
        item.tag = kItemFloat;
        break;
      case 'D':
        item.tag = kItemDouble;
        break;
      case 'A':
        item = {kItemArgument, 0, argument};
        break;
      default:
        break;
    }
    if (!add(item)) return Reason::kBadFrames;
  }
  if (!walk.Result(&type)) return Reason::kBadDescriptor;

  auto* first = arena.Allocate<VerificationType>(count);
  if (count != 0) std::memcpy(first, locals, count * sizeof(VerificationType));
  *initial = {first, nullptr, static_cast<uint16_t>(count), 0};

  uint64_t spent = 0;
  // the newest snapshot; reused while the locals do not change
  const VerificationType* shared = first;
  for (uint32_t k = 0; k < count_; ++k) {
    ByteReader reader(ByteSpan(bytes_ + frames_[k].offset, frames_[k].length));
    const uint8_t tag = reader.U1();
    uint32_t stack_count = 0;
    if (tag >= 247) reader.U2();
    if ((tag >= 64 && tag < 128) || tag == 247) {
      stack_count = 1;
    } else if (tag >= 248 && tag <= 250) {
      const uint32_t chopped = 251u - tag;
      if (chopped > count) return Reason::kBadFrames;
      for (uint32_t i = 0; i < chopped; ++i) slots -= SlotsOf(locals[--count].tag);
      shared = nullptr;
    } else if (tag >= 252 && tag <= 254) {
      for (uint32_t i = 251; i < tag; ++i) {
        if (!add(TakeType(reader))) return Reason::kBadFrames;
      }
      shared = nullptr;
    } else if (tag == 255) {
      count = slots = 0;
      const uint32_t full = reader.U2();
      for (uint32_t i = 0; i < full; ++i) {
        if (!add(TakeType(reader))) return Reason::kBadFrames;
      }
      stack_count = reader.U2();
      shared = nullptr;
    }
    if (wanted[k] == 0) continue;
    spent += stack_count + (shared == nullptr ? count : 0);
    if (spent > kMaxExpandedItems) return Reason::kFramesTooLarge;
    if (shared == nullptr) {
      auto* copy = arena.Allocate<VerificationType>(count);
      if (count != 0) std::memcpy(copy, locals, count * sizeof(VerificationType));
      shared = copy;
    }
    auto* stack = arena.Allocate<VerificationType>(stack_count);
    for (uint32_t i = 0; i < stack_count; ++i) stack[i] = TakeType(reader);
    out[k] = {shared, stack, static_cast<uint16_t>(count), static_cast<uint16_t>(stack_count)};
  }
  return Reason::kOk;
}

}  // namespace iprof::classfile
