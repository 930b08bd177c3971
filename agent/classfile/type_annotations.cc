// Type annotations of code (JVMS 4.7.20): moves their targets and copies the rest.
#include "agent/classfile/code_tables.h"

namespace iprof::classfile {

namespace {

class TypeAnnotationMover {
 public:
  TypeAnnotationMover(ByteSpan table, const MethodCode& code, const Layout& layout,
                      const uint32_t* new_exception_index, Arena& arena, ByteBuffer& out)
      : reader_(table),
        code_(&code),
        layout_(&layout),
        new_exception_index_(new_exception_index),
        arena_(&arena),
        out_(&out) {}

  bool Move() {
    // The contents keep their length, so they are copied as a whole and patched in place.
    const size_t size = reader_.remaining();
    const uint8_t* source = reader_.at();
    copy_ = out_->Extend(size);
    if (size != 0) std::memcpy(copy_, source, size);
    const uint32_t n = reader_.U2();
    for (uint32_t k = 0; k < n; ++k) {
      if (!MoveTarget() || !SkipPath() || !SkipAnnotation()) return false;
    }
    return reader_.ok() && reader_.remaining() == 0;
  }

 private:
  uint8_t* CopyHere() { return copy_ + reader_.position(); }

  // These offsets are those of the instruction itself.
  bool MoveOffset() {
    uint8_t* p = CopyHere();
    const Insn i = code_->IndexAt(uint32_t{reader_.U2()});
    if (!reader_.ok() || i == MethodCode::kNone) return false;
    StoreU2(p, layout_->Position(i));
    return true;
  }

  bool MoveTarget() {
    const uint8_t kind = reader_.U1();
    if (!reader_.ok()) return false;
    switch (kind) {
      case 0x40:
      case 0x41: {  // local variables: {start, length, index}
        const uint32_t ranges = reader_.U2();
        for (uint32_t k = 0; k < ranges; ++k) {
          uint8_t* p = CopyHere();
          const uint32_t start = reader_.U2();
          const uint32_t length = reader_.U2();
          reader_.U2();
          if (!reader_.ok()) return false;
          const Insn from = code_->BoundaryAt(start);
          const Insn to = code_->BoundaryAt(start + length);
          if (from == MethodCode::kNone || to == MethodCode::kNone) return false;
          const uint32_t new_start = from == 0 && length != 0 ? 0 : layout_->Label(from);
          StoreU2(p, new_start);
          StoreU2(p + 2, length == 0 ? 0 : layout_->Label(to) - new_start);
        }
        return true;
      }
      case 0x42: {  // an exception parameter: the entry's number
        uint8_t* p = CopyHere();
        const uint32_t entry = reader_.U2();
        if (!reader_.ok() || entry >= code_->exceptions().size()) return false;
        StoreU2(p, new_exception_index_[entry]);
        return true;
      }
      case 0x43:
      case 0x44:
      case 0x45:
      case 0x46:  // instanceof, new, method references
        return MoveOffset();
      case 0x47:
      case 0x48:
      case 0x49:
      case 0x4A:
      case 0x4B:  // casts and type arguments: offset, argument
        return MoveOffset() && reader_.Skip(1);
      default:  // not a target within code
        return false;
    }
  }

  bool SkipPath() { return reader_.Skip(size_t{reader_.U1()} * 2); }

  // Skips one annotation: a type, then name-value pairs that may nest. For each open list, `levels`
  // holds how many elements are left and whether its values have names.
  bool SkipAnnotation() {
    ArenaVector<Level>& levels = levels_;
    levels.Truncate(0);
    reader_.U2();
    levels.Push(*arena_, {reader_.U2(), true});
    while (!levels.empty() && reader_.ok()) {
      Level& top = levels.back();
      if (top.left == 0) {
        levels.Truncate(levels.size() - 1);
        continue;
      }
      --top.left;
      if (top.named) reader_.U2();
      switch (reader_.U1()) {
        case 'B':
        case 'C':
        case 'D':
        case 'F':
        case 'I':
        case 'J':
        case 'S':
        case 'Z':
        case 's':
        case 'c':
          reader_.U2();
          break;
        case 'e':
          reader_.U4();
          break;
        case '@':
          reader_.U2();
          levels.Push(*arena_, {reader_.U2(), true});
          break;
        case '[':
          levels.Push(*arena_, {reader_.U2(), false});
          break;
        default:
          return false;
      }
    }
    return reader_.ok();
  }

  struct Level {
    uint32_t left;
    bool named;
  };

  ByteReader reader_;
  const MethodCode* code_;
  const Layout* layout_;
  const uint32_t* new_exception_index_;
  Arena* arena_;
  ByteBuffer* out_;
  uint8_t* copy_ = nullptr;
  ArenaVector<Level> levels_;
};

}  // namespace

bool WriteTypeAnnotations(ByteSpan table, const MethodCode& code, const Layout& layout,
                          const uint32_t* new_exception_index, Arena& arena, ByteBuffer& out) {
  return TypeAnnotationMover(table, code, layout, new_exception_index, arena, out).Move();
}

}  // namespace iprof::classfile
