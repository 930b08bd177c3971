#include "java-tests/native/classfile/checker.h"

#include <algorithm>

#include "agent/classfile/code.h"
#include "agent/classfile/stack_depth.h"

namespace iprof::classfile {

namespace {

class Checker {
 public:
  Checker(const ClassFile& before, const ClassFile& after, Arena& arena)
      : before_(&before), after_(&after), arena_(&arena), slots_(after.pool(), arena) {}

  CheckResult Check() {
    if (before_->methods().size() != after_->methods().size()) return Problem("method count");
    const size_t pool_end = before_->pool().end_offset();
    if (!Same(10, pool_end, 10) || after_->pool().end_offset() < pool_end) {
      return Problem("constant pool changed");
    }
    if (!Same(pool_end, before_->methods_offset(), after_->pool().end_offset())) {
      return Problem("header or fields changed");
    }
    for (uint32_t m = 0; m < after_->methods().size(); ++m) {
      result_.method = m;
      const MemberInfo& old = before_->methods()[m];
      const MemberInfo& now = after_->methods()[m];
      if (old.end - old.offset == now.end - now.offset && Same(old.offset, old.end, now.offset)) {
        continue;
      }
      if (!CheckMethod(old, now)) return result_;
    }
    if (!Same(before_->attributes_offset(), before_->bytes().size(), after_->attributes_offset()) ||
        before_->bytes().size() - before_->attributes_offset() !=
            after_->bytes().size() - after_->attributes_offset()) {
      return Problem("class attributes changed");
    }
    result_.method = 0;
    return result_;
  }

 private:
  CheckResult Problem(const char* what, uint32_t offset = 0) {
    result_.problem = what;
    result_.offset = offset;
    return result_;
  }
  bool Fail(const char* what, uint32_t offset = 0) {
    Problem(what, offset);
    return false;
  }

  bool Same(size_t from, size_t to, size_t there) const {
    const ByteSpan a = before_->bytes();
    const ByteSpan b = after_->bytes();
    return to >= from && there + (to - from) <= b.size() &&
           std::memcmp(a.data() + from, b.data() + there, to - from) == 0;
  }

  bool CheckMethod(const MemberInfo& old, const MemberInfo& now) {
    if (old.code_offset == 0 || now.code_offset == 0) return Fail("code came or went");
    if (!Same(old.offset, old.code_offset, now.offset)) return Fail("method header changed");
    return CheckCode(old, now);
  }

  bool CheckCode(const MemberInfo& old, const MemberInfo& now) {
    MethodCode original;
    MethodCode code;
    if (original.Decode(*before_, old, *arena_) != Reason::kOk) return Fail("rewrote bad code");
    if (const Reason r = code.Decode(*after_, now, *arena_); r != Reason::kOk) {
      return Fail(ReasonText(r));
    }
    if (code.max_stack() < original.max_stack()) return Fail("max_stack shrank");
    if (code.max_locals() < original.max_locals()) return Fail("max_locals shrank");
    for (Insn i = 0; i < code.count(); ++i) {
      const Format format = InfoOf(code.at(i).op).format;
      if ((format == Format::kLocal || format == Format::kIinc) &&
          code.Local(i) >= code.max_locals() && code.Local(i) >= original.max_locals() &&
          UsesFreshLocal(original, code.Local(i))) {
        return Fail("local beyond max_locals", code.OffsetOf(i));
      }
    }
    FrameTable frames;
    if (frames.Read(code, *arena_) != Reason::kOk) return Fail("StackMapTable");
    StackDepths depths;
    if (const Reason r = depths.Compute(code, frames, slots_, *arena_); r != Reason::kOk) {
      // Code that no verifier accepts may already be inconsistent: if there are only insertions at
      // entries, the rewriter did not look at its stack.
      FrameTable old_frames;
      StackDepths old_depths;
      if (old_frames.Read(original, *arena_) == Reason::kOk &&
          old_depths.Compute(original, old_frames, slots_, *arena_) == Reason::kOk) {
        return Fail(ReasonText(r));
      }
    }
    AttributeWalk walk = code.attributes();
    AttributeView a;
    while (walk.Next(&a)) {
      const std::string_view name = after_->pool().Utf8(a.name);
      if (name == "LineNumberTable" && !CheckTable(code, a.bytes, 4, 0)) {
        return Fail("LineNumberTable", result_.offset);
      }
      if ((name == "LocalVariableTable" || name == "LocalVariableTypeTable") &&
          !CheckTable(code, a.bytes, 10, 1)) {
        return Fail("LocalVariableTable", result_.offset);
      }
      if (name == "CharacterRangeTable" && !CheckTable(code, a.bytes, 14, 2)) {
        return Fail("CharacterRangeTable", result_.offset);
      }
    }
    return true;
  }

  // Code that the verifier would refuse may use any local; only our fresh locals must exist.
  static bool UsesFreshLocal(const MethodCode& original, uint32_t local) {
    for (Insn i = 0; i < original.count(); ++i) {
      const Format format = InfoOf(original.at(i).op).format;
      if ((format == Format::kLocal || format == Format::kIinc) && original.Local(i) == local) {
        return false;
      }
    }
    return true;
  }

  // Checks a table of fixed-size entries that start with a bytecode offset. `range` says what the
  // second field is: not an offset (0), a length (1), or the last byte (2).
  bool CheckTable(const MethodCode& code, ByteSpan table, size_t entry, int range) {
    ByteReader reader(table);
    const uint32_t n = reader.U2();
    if (!reader.ok() || reader.remaining() != n * entry) return false;
    const uint8_t* p = reader.at();
    for (uint32_t k = 0; k < n; ++k, p += entry) {
      result_.offset = LoadU2(p);
      const uint32_t start = LoadU2(p);
      const Insn from = range == 0 ? code.IndexAt(start) : code.BoundaryAt(start);
      if (from == MethodCode::kNone) return false;
      if (range == 1 && code.BoundaryAt(start + LoadU2(p + 2)) == MethodCode::kNone) return false;
      if (range == 2 && code.BoundaryAt(LoadU2(p + 2) + 1u) == MethodCode::kNone) return false;
    }
    return true;
  }

  const ClassFile* before_;
  const ClassFile* after_;
  Arena* arena_;
  SlotCache slots_;
  CheckResult result_;
};

}  // namespace

CheckResult CheckRewritten(ByteSpan original, ByteSpan rewritten, Workspace& memory) {
  ClassFile before;
  ClassFile after;
  CheckResult result;
  const Reason r = before.Parse(original, memory.class_memory);
  if (r != Reason::kOk) {
    // An unchanged method is fine with any content.
    const bool same = original.size() == rewritten.size() &&
                      std::equal(original.begin(), original.end(), rewritten.begin());
    if (!same) result.problem = "unreadable class changed";
    return result;
  }
  if (after.Parse(rewritten, memory.class_memory) != Reason::kOk) {
    result.problem = "does not parse";
    return result;
  }
  return Checker(before, after, memory.method_memory).Check();
}

}  // namespace iprof::classfile
