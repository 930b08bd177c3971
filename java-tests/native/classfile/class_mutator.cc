#include "java-tests/native/classfile/class_mutator.h"

#include <algorithm>
#include <utility>

#include "agent/classfile/opcodes.h"

namespace iprof::classfile {

namespace {

constexpr uint32_t kLongestAppendix = 64;

// The two-byte code offsets within a row of a table.
struct PositionFields {
  uint32_t count;
  uint32_t at[3];
};
PositionFields PositionsOf(TableKind kind) {
  switch (kind) {
    case TableKind::kExceptions:
      return {3, {0, 2, 4}};
    case TableKind::kLines:
      return {1, {0, 0, 0}};
    case TableKind::kVariables:
    case TableKind::kRanges:
      return {2, {0, 2, 0}};
    default:
      return {0, {0, 0, 0}};
  }
}

bool HasElements(const ElementTable& table) { return table.count() != 0; }
bool HasPositions(const ElementTable& table) {
  return table.count() != 0 && PositionsOf(table.kind).count != 0;
}
bool HasFrames(const ElementTable& table) {
  return table.count() != 0 && table.kind == TableKind::kFrames;
}
bool HasAttributes(const ElementTable& table) {
  return table.count() != 0 && table.kind == TableKind::kAttributes;
}

uint32_t FrameDelta(const uint8_t* frame) {
  return *frame < 128 ? *frame % 64u : LoadU2(frame + 1);
}

}  // namespace

bool ClassMutator::Mutate(ByteVector& bytes, size_t most) {
  bytes_ = &bytes;
  most_ = most;
  bool changed = false;
  const uint32_t changes = 1 + random_->Next(4);
  for (uint32_t i = 0; i < changes; ++i) {
    if (!outline_.Read(bytes)) break;
    // Not every change is possible in every class, so try a few times.
    for (uint32_t tries = 0; tries < 4; ++tries) {
      if (MutateOnce()) {
        changed = true;
        break;
      }
    }
  }
  return changed;
}

bool ClassMutator::MutateOnce() {
  struct Change {
    uint32_t weight;
    bool (ClassMutator::*make)();
  };
  static constexpr Change kChanges[] = {
      {1, &ClassMutator::ChangeHeader},
      {1, &ClassMutator::ChangeLimits},
      {3, &ClassMutator::SubstituteInstruction},
      {3, &ClassMutator::OverwriteInstructions},
      {2, &ClassMutator::Retarget},
      {2, &ClassMutator::AppendCode},
      {2, &ClassMutator::CopyElement},
      {1, &ClassMutator::RemoveElement},
      {2, &ClassMutator::MovePositions},
      {1, &ClassMutator::ChangeFrame},
      {1, &ClassMutator::SplitFrame},
      {1, &ClassMutator::ChangeStretch},
      {1, &ClassMutator::ChangeMember},
      {1, &ClassMutator::ChangeConstant},
      {1, &ClassMutator::AppendConstant},
      {1, &ClassMutator::RenameAttribute},
  };
  static constexpr uint32_t kWeights = [] {
    uint32_t sum = 0;
    for (const Change& change : kChanges) sum += change.weight;
    return sum;
  }();
  uint32_t dice = random_->Next(kWeights);
  const Change* change = kChanges;
  for (; dice >= change->weight; ++change) dice -= change->weight;
  return (this->*change->make)();
}

bool ClassMutator::ChangeHeader() {
  static constexpr uint16_t kVersions[][2] = {{45, 0}, {45, 3}, {46, 0}, {49, 0}, {50, 0},
                                              {51, 0}, {52, 0}, {61, 0}, {71, 0}};
  const uint16_t* version = kVersions[random_->Next(std::size(kVersions))];
  StoreU2(bytes_->data() + 4, version[1]);
  StoreU2(bytes_->data() + 6, version[0]);
  return true;
}

bool ClassMutator::ChangeLimits() {
  const CodeOutline* code = AnyCode();
  if (code == nullptr) return false;
  const Stretch& instructions = outline_.stretches()[static_cast<size_t>(code->stretch)];
  const uint32_t limit = random_->Next(2);
  if (instructions.width == 2) {
    (*bytes_)[code->max_stack + limit] = static_cast<uint8_t>(parts_.OddNumber());
    return true;
  }
  uint8_t* field = bytes_->data() + code->max_stack + limit * 2;
  StoreU2(field, random_->OneIn(2) ? parts_.OddNumber() : LoadU2(field) + random_->Next(5) - 2);
  return true;
}

bool ClassMutator::SubstituteInstruction() {
  const CodeOutline* code = AnyCode();
  if (code == nullptr) return false;
  uint8_t* at = bytes_->data() + Begin(*code) +
                code->boundaries[random_->Next(static_cast<uint32_t>(code->boundaries.size()) - 1)];
  if (*at >= kOpCount) return false;
  const OpInfo& old = kOpInfo[*at];
  if (old.length == 0) return false;
  const bool same_effect = !random_->OneIn(4);
  const uint32_t first = random_->Next(kOpCount);
  for (uint32_t i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<uint8_t>((first + i) % kOpCount);
    const OpInfo& info = kOpInfo[op];
    if (op == *at || info.length != old.length) continue;
    if (same_effect &&
        (info.format != old.format || info.pops - info.pushes != old.pops - old.pushes)) {
      continue;
    }
    *at = op;
    return true;
  }
  return false;
}

bool ClassMutator::OverwriteInstructions() {
  const CodeOutline* code = AnyCode();
  if (code == nullptr) return false;
  const auto count = static_cast<uint32_t>(code->boundaries.size()) - 1;
  const uint32_t from = random_->Next(count);
  const uint32_t to = std::min(count, from + 1 + random_->Next(8));
  const uint32_t start = code->boundaries[from];
  const uint32_t room = code->boundaries[to] - start;
  ByteVector fresh = parts_.Instructions(*code, start, room);
  fresh.resize(room);  // filled up with no-ops
  std::copy(fresh.begin(), fresh.end(), bytes_->begin() + Begin(*code) + start);
  return true;
}

bool ClassMutator::Retarget() {
  const CodeOutline* code = AnyCode();
  if (code == nullptr) return false;
  uint8_t* begin = bytes_->data() + Begin(*code);
  const auto count = static_cast<uint32_t>(code->boundaries.size()) - 1;
  const uint32_t first = random_->Next(count);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t k = (first + i) % count;
    const uint32_t at = code->boundaries[k];
    const uint32_t end = code->boundaries[k + 1];
    if (begin[at] >= kOpCount) continue;
    const uint32_t to = parts_.Boundary(*code) - at;
    const uint32_t operands = (at + 4) & ~3u;
    switch (kOpInfo[begin[at]].format) {
      case Format::kBranch2:
        if (end - at < 3) continue;
        StoreU2(begin + at + 1, to);
        return true;
      case Format::kBranch4:
        if (end - at < 5) continue;
        StoreU4(begin + at + 1, to);
        return true;
      case Format::kTableSwitch:
      case Format::kLookupSwitch: {
        // Any word from the default on: targets, and also keys.
        if (end < operands + 4) continue;
        const uint32_t words = (end - operands) / 4;
        const uint32_t word = random_->OneIn(3) ? 0 : random_->Next(words);
        if (word == 1 || word >= words) continue;
        StoreU4(begin + operands + word * 4, to);
        return true;
      }
      default:
        continue;
    }
  }
  return false;
}

bool ClassMutator::AppendCode() {
  const CodeOutline* code = AnyCode();
  if (code == nullptr) return false;
  const uint32_t offset = code->boundaries.back();
  ByteVector fresh = parts_.Instructions(*code, offset, 1 + random_->Next(kLongestAppendix));
  const auto end = static_cast<uint32_t>(offset + fresh.size());
  switch (random_->Next(4)) {
    case 0:
      Put(&fresh, Op::return_);
      break;
    case 1:
      Put(&fresh, Op::aconst_null);
      Put(&fresh, Op::athrow);
      break;
    case 2:
      Put(&fresh, Op::goto_w);
      PutU4(&fresh, parts_.Boundary(*code) - end);
      break;
    default:
      Put(&fresh, Op::goto_);
      PutU2(&fresh, parts_.Boundary(*code) - end);
      break;
  }
  return Splice(Begin(*code) + offset, 0, fresh, code->stretch);
}

bool ClassMutator::CopyElement() {
  const ElementTable* from = AnyTable(HasElements);
  if (from == nullptr) return false;
  // Put it over or beside an element of some table of the same kind.
  const ElementTable* to =
      AnyTable([&](const ElementTable& table) { return table.kind == from->kind; });
  const uint32_t source = random_->Next(from->count());
  const ByteVector element(bytes_->begin() + from->starts[source],
                           bytes_->begin() + from->starts[source + 1]);
  if (to->count() != 0 && random_->OneIn(3)) {
    const uint32_t place = random_->Next(to->count());
    const uint32_t removed = to->starts[place + 1] - to->starts[place];
    return Splice(to->starts[place], removed, element, to->parent);
  }
  return Splice(to->starts[random_->Next(to->count() + 1)], 0, element, to->parent) &&
         AddToCount(*to, 1);
}

bool ClassMutator::RemoveElement() {
  const ElementTable* table = AnyTable(HasElements);
  if (table == nullptr) return false;
  const uint32_t place = random_->Next(table->count());
  const uint32_t removed = table->starts[place + 1] - table->starts[place];
  return Splice(table->starts[place], removed, {}, table->parent) && AddToCount(*table, -1);
}

bool ClassMutator::MovePositions() {
  const ElementTable* table = AnyTable(HasPositions);
  if (table == nullptr) return false;
  const CodeOutline& code = outline_.codes()[static_cast<size_t>(table->code)];
  const PositionFields fields = PositionsOf(table->kind);
  uint8_t* row = bytes_->data() + table->starts[random_->Next(table->count())];
  const uint32_t field = fields.at[random_->Next(fields.count)];
  uint32_t value = parts_.Boundary(code);
  if (table->kind == TableKind::kVariables && field == 2) value -= LoadU2(row);  // it is a length
  StoreU2(row + field, value);
  return true;
}

bool ClassMutator::ChangeFrame() {
  const ElementTable* table = AnyTable(HasFrames);
  if (table == nullptr) return false;
  const CodeOutline& code = outline_.codes()[static_cast<size_t>(table->code)];
  const uint32_t place = random_->Next(table->count());
  const uint32_t at = table->starts[place];
  const uint32_t delta = random_->OneIn(4) ? parts_.Boundary(code) : FrameDelta(&(*bytes_)[at]);
  ByteVector fresh;
  const auto type = [&] {
    const uint32_t item = random_->Next(9);
    PutU1(&fresh, item);
    if (item == 7) PutU2(&fresh, parts_.Constant(Tag::kClass));
    if (item == 8) PutU2(&fresh, parts_.Boundary(code));
  };
  const uint32_t kind = 246 + random_->Next(10);
  if (kind == 246) {
    PutU1(&fresh, delta < 64 ? delta : 0);
  } else {
    PutU1(&fresh, kind);
    PutU2(&fresh, delta);
    if (kind == 247) type();
    for (uint32_t n = 251; n < kind && kind < 255; ++n) type();
    for (int list = 0; kind == 255 && list < 2; ++list) {
      const uint32_t items = random_->Next(list == 0 ? 6 : 3);
      PutU2(&fresh, items);
      for (uint32_t n = 0; n < items; ++n) type();
    }
  }
  return Splice(at, table->starts[place + 1] - at, fresh, table->parent);
}

// Adds a frame at an instruction that has none, and shortens the next frame's distance.
bool ClassMutator::SplitFrame() {
  const ElementTable* table = AnyTable(HasFrames);
  if (table == nullptr) return false;
  const uint32_t place = random_->Next(table->count());
  int64_t before = -1;
  for (uint32_t k = 0; k < place; ++k) before += 1 + FrameDelta(&(*bytes_)[table->starts[k]]);
  const uint32_t delta = FrameDelta(&(*bytes_)[table->starts[place]]);
  const auto& boundaries = outline_.codes()[static_cast<size_t>(table->code)].boundaries;
  const auto inside = [&](uint32_t b) { return b > before && b <= before + delta; };
  const auto low = std::find_if(boundaries.begin(), boundaries.end(), inside);
  const auto high = std::find_if_not(low, boundaries.end(), inside);
  if (low == high) return false;
  const uint32_t chosen = low[random_->Next(static_cast<uint32_t>(high - low))];
  const auto first = static_cast<uint32_t>(chosen - (before + 1));
  ByteVector fresh;
  PutU1(&fresh, 251);
  PutU2(&fresh, first);
  if (!Splice(table->starts[place], 0, fresh, table->parent)) return false;
  uint8_t* next = &(*bytes_)[table->starts[place] + fresh.size()];
  const uint32_t rest = delta - first - 1;
  if (*next < 128) {
    *next = static_cast<uint8_t>(*next - delta + rest);
  } else {
    StoreU2(next + 1, rest);
  }
  return AddToCount(*table, 1);
}

bool ClassMutator::ChangeStretch() {
  if (outline_.stretches().empty()) return false;
  const auto number = random_->Next(static_cast<uint32_t>(outline_.stretches().size()));
  const Stretch& stretch = outline_.stretches()[number];
  const uint32_t length = stretch.end - stretch.begin;
  const uint32_t at = stretch.begin + random_->Next(length + 1);
  const uint32_t left = stretch.end - at;
  switch (random_->Next(4)) {
    case 0: {
      ByteVector fresh(1 + random_->Next(8));
      for (uint8_t& byte : fresh) byte = static_cast<uint8_t>(random_->Next(256));
      return Splice(at, 0, fresh, static_cast<int>(number));
    }
    case 1:
      if (left == 0) return false;
      return Splice(at, 1 + random_->Next(std::min(left, 8u)), {}, static_cast<int>(number));
    case 2:
      if (left < 2) return false;
      StoreU2(bytes_->data() + at, parts_.OddNumber());
      return true;
    default:
      if (left == 0) return false;
      (*bytes_)[at] = static_cast<uint8_t>(random_->Next(256));
      return true;
  }
}

bool ClassMutator::ChangeMember() {
  const auto members = random_->OneIn(4) ? outline_.file().fields() : outline_.file().methods();
  if (members.empty()) return false;
  const auto count = static_cast<uint32_t>(members.size());
  uint8_t* member = bytes_->data() + members[random_->Next(count)].offset;
  const uint8_t* other = bytes_->data() + members[random_->Next(count)].offset;
  switch (random_->Next(4)) {
    case 0:
      StoreU2(member, LoadU2(member) ^ 1u << random_->Next(16));
      break;
    case 1:
      StoreU2(member + 2, LoadU2(other + 2));
      break;
    case 2:
      StoreU2(member + 4, LoadU2(other + 4));
      break;
    default:
      member += 2 * random_->Next(2);
      StoreU2(member + 2, parts_.Constant(Tag::kUtf8));
      break;
  }
  return true;
}

bool ClassMutator::ChangeConstant() {
  // including the terminating zero
  static constexpr char kLetters[] = "()BCDFIJSZVL[;/<>.\x7f\xc0\xed";
  const CpIndex index{parts_.Constant()};
  const ConstantPool& pool = outline_.file().pool();
  const Tag tag = pool.tag(index);
  if (tag == Tag::kUnusable) return false;
  if (tag == Tag::kUtf8) {
    const std::string_view text = pool.Utf8(index);
    if (text.empty()) return false;
    const auto at = reinterpret_cast<const uint8_t*>(text.data()) - bytes_->data();
    (*bytes_)[static_cast<size_t>(at) + random_->Next(static_cast<uint32_t>(text.size()))] =
        static_cast<uint8_t>(kLetters[random_->Next(std::size(kLetters))]);
    return true;
  }
  const uint32_t at = pool.Offset(index);
  if (tag == Tag::kMethodHandle) {
    (*bytes_)[at + 1] = static_cast<uint8_t>(random_->Next(11));
  } else {
    StoreU2(bytes_->data() + at + 1, parts_.Constant());
  }
  return true;
}

bool ClassMutator::AppendConstant() {
  static constexpr std::string_view kNames[] = {
      "Code",
      "StackMapTable",
      "LineNumberTable",
      "LocalVariableTable",
      "LocalVariableTypeTable",
      "CharacterRangeTable",
      "RuntimeVisibleTypeAnnotations",
      "RuntimeInvisibleTypeAnnotations",
      "StackMap",
      "<init>",
      "<clinit>",
      "finalize",
      "()V",
      "(IJLjava/lang/String;[[DF)J",
      "java/lang/Object",
  };
  const ConstantPool& pool = outline_.file().pool();
  if (pool.count() >= 65534) return false;
  ByteVector fresh;
  if (random_->OneIn(2)) {
    const std::string_view name = kNames[random_->Next(std::size(kNames))];
    Put(&fresh, Tag::kUtf8);
    PutU2(&fresh, static_cast<uint32_t>(name.size()));
    for (const char c : name) PutU1(&fresh, static_cast<uint8_t>(c));
  } else {
    static constexpr Tag kPairs[] = {Tag::kFieldref, Tag::kMethodref, Tag::kInterfaceMethodref,
                                     Tag::kInvokeDynamic, Tag::kDynamic};
    const Tag tag = kPairs[random_->Next(std::size(kPairs))];
    Put(&fresh, tag);
    PutU2(&fresh, parts_.Constant(Tag::kClass));
    PutU2(&fresh, parts_.Constant(Tag::kNameAndType));
  }
  if (!Splice(static_cast<uint32_t>(pool.end_offset()), 0, fresh, kOutside)) return false;
  StoreU2(bytes_->data() + 8, pool.count() + 1);
  return true;
}

bool ClassMutator::RenameAttribute() {
  const ElementTable* table = AnyTable(HasAttributes);
  if (table == nullptr) return false;
  uint8_t* name = bytes_->data() + table->starts[random_->Next(table->count())];
  StoreU2(name, parts_.Constant(Tag::kUtf8));
  return true;
}

const CodeOutline* ClassMutator::AnyCode() {
  const auto& codes = outline_.codes();
  if (codes.empty()) return nullptr;
  const CodeOutline& code = codes[random_->Next(static_cast<uint32_t>(codes.size()))];
  return code.boundaries.size() < 2 ? nullptr : &code;
}

template <typename Suits>
const ElementTable* ClassMutator::AnyTable(Suits suits) {
  const auto& tables = outline_.tables();
  const auto count = static_cast<uint32_t>(tables.size());
  const uint32_t first = random_->Next(count);
  for (uint32_t i = 0; i < count; ++i) {
    const ElementTable& table = tables[(first + i) % count];
    if (suits(table)) return &table;
  }
  return nullptr;
}

uint32_t ClassMutator::Begin(const CodeOutline& code) const {
  return outline_.stretches()[static_cast<size_t>(code.stretch)].begin;
}

bool ClassMutator::AddToCount(const ElementTable& table, int difference) {
  uint8_t* field = bytes_->data() + table.field;
  StoreU2(field, static_cast<uint32_t>(LoadU2(field) + difference));
  return true;
}

bool ClassMutator::Splice(uint32_t at, uint32_t removed, ByteSpan inserted, int stretch) {
  if (bytes_->size() - removed + inserted.size() > most_) return false;
  const auto change = static_cast<uint32_t>(inserted.size()) - removed;  // modulo 2^32
  for (int s = stretch; s != kOutside; s = outline_.stretches()[static_cast<size_t>(s)].parent) {
    const Stretch& around = outline_.stretches()[static_cast<size_t>(s)];
    uint8_t* field = bytes_->data() + around.field;
    if (around.width == 2) {
      StoreU2(field, LoadU2(field) + change);
    } else {
      StoreU4(field, LoadU4(field) + change);
    }
  }
  const auto from = bytes_->begin() + at;
  bytes_->insert(bytes_->erase(from, from + removed), inserted.begin(), inserted.end());
  return true;
}

}  // namespace iprof::classfile
