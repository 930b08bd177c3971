#include "agent/classfile/rewriter.h"

#include <algorithm>

#include "agent/classfile/code_tables.h"
#include "agent/classfile/code_writer.h"
#include "agent/classfile/frame_writer.h"
#include "agent/classfile/position_map.h"

namespace iprof::classfile {

namespace {

constexpr uint16_t kFirstVersionWithFrames = 50;

// At a method's entry the stack is empty; at the start of a handler it holds only the exception.
bool IsEntry(const MethodEditor::Piece& p) {
  return p.insn == 0 && p.place == MethodEditor::Place::kFallEdge;
}
bool IsHandlerEntry(const MethodEditor::Piece& p) {
  return p.place == MethodEditor::Place::kHandler;
}

// Whether an insertion needs a stack depth that only an analysis of the whole method gives.
bool NeedsDepths(MethodEditor& editor) {
  const ArenaVector<MethodEditor::Piece>& pieces = editor.pieces();
  return !editor.trampolines().empty() ||
         !std::all_of(pieces.begin(), pieces.end(),
                      [](const MethodEditor::Piece& p) { return IsEntry(p) || IsHandlerEntry(p); });
}

// The greatest stack depth, including inserted code.
uint32_t MaxStack(MethodEditor& editor, const StackDepths& depths) {
  const MethodCode& code = editor.code();
  uint32_t most = code.max_stack();
  const auto at = [&](Insn i) -> uint32_t {
    const uint16_t depth = depths.At(i);
    return depth == StackDepths::kUnknown ? code.max_stack() : depth;
  };
  for (const MethodEditor::Piece& p : editor.pieces()) {
    const uint32_t depth = IsEntry(p) ? 0 : IsHandlerEntry(p) ? 1 : at(p.insn);
    most = std::max(most, depth + p.extra_stack);
  }
  for (const MethodEditor::Stub& s : editor.trampolines()) {
    most = std::max(most, at(s.target) + s.extra_stack);
  }
  for (const MethodEditor::Stub& s : editor.handler_stubs()) {
    most = std::max(most, 1u + s.extra_stack);
  }
  if (editor.has_catch_all()) most = std::max(most, 1u + editor.catch_all().extra_stack);
  return most;
}

// Writes the attributes of one rewritten Code attribute.
class AttributeWriter {
 public:
  AttributeWriter(MethodEditor& editor, const FrameTable& frames, const Layout& layout,
                  const uint32_t* new_exception_index, ByteBuffer& out)
      : editor_(&editor),
        code_(&editor.code()),
        frames_(&frames),
        layout_(&layout),
        new_exception_index_(new_exception_index),
        out_(&out) {}

  Reason Write(bool needs_frames) {
    const size_t count_at = out_->size();
    out_->U2(0);
    StubLines stub_lines;
    stub_lines.Read(*code_, *layout_, editor_->arena());
    bool lines_extended = false;
    const bool catch_all_frame = needs_frames && editor_->has_catch_all();
    AttributeWalk walk = code_->attributes();
    AttributeView attribute;
    while (walk.Next(&attribute)) {
      const std::string_view name = code_->file().pool().Utf8(attribute.name);
      const size_t start = Begin(attribute.name);
      bool keep = false;
      if (name == "LineNumberTable") {
        keep = WriteLineNumbers(attribute.bytes, *code_, *layout_,
                                lines_extended ? nullptr : &stub_lines, *out_);
        lines_extended |= keep;
      } else if (name == "StackMapTable") {
        if (frames_->present()) {
          const Reason r = WriteFrames(*editor_, *frames_, *layout_, catch_all_frame, *out_);
          if (r != Reason::kOk) return r;
          keep = true;
        }
      } else if (name == "LocalVariableTable" || name == "LocalVariableTypeTable") {
        keep = WriteLocalVariables(attribute.bytes, *code_, *layout_, *out_);
      } else if (name == "RuntimeVisibleTypeAnnotations" ||
                 name == "RuntimeInvisibleTypeAnnotations") {
        keep = WriteTypeAnnotations(attribute.bytes, *code_, *layout_, new_exception_index_,
                                    editor_->arena(), *out_);
      } else if (name == "CharacterRangeTable") {
        keep = WriteCharacterRanges(attribute.bytes, *code_, *layout_, *out_);
      }
      if (!keep && layout_->is_identity()) {
        out_->Truncate(start + 6);
        out_->Append(attribute.bytes.data(), attribute.bytes.size());
        keep = true;
      }
      End(start, keep);
    }
    if (catch_all_frame && !frames_->present()) {
      const CpIndex name = editor_->pool().Utf8("StackMapTable");
      if (name == CpIndex::none) return Reason::kConstantPoolFull;
      const size_t start = Begin(name);
      const Reason r = WriteFrames(*editor_, *frames_, *layout_, true, *out_);
      if (r != Reason::kOk) return r;
      End(start, true);
    }
    if (count_ > 65535) return Reason::kTableTooLong;
    StoreU2(out_->data() + count_at, count_);
    return Reason::kOk;
  }

 private:
  size_t Begin(CpIndex name) {
    const size_t start = out_->size();
    out_->U2(Value(name));
    out_->U4(0);
    return start;
  }
  void End(size_t start, bool keep) {
    if (!keep) {
      out_->Truncate(start);
      return;
    }
    StoreU4(out_->data() + start + 2, static_cast<uint32_t>(out_->size() - start - 6));
    ++count_;
  }

  MethodEditor* editor_;
  const MethodCode* code_;
  const FrameTable* frames_;
  const Layout* layout_;
  const uint32_t* new_exception_index_;
  ByteBuffer* out_;
  uint32_t count_ = 0;
};

}  // namespace

ClassRewriter::ClassRewriter(const ClassFile& file, Workspace& memory, RewriteOptions options)
    : file_(&file),
      memory_(&memory),
      options_(options),
      pool_(file.pool(), memory.class_memory),
      slots_(file.pool(), memory.class_memory),
      method_mark_(pool_.GetMark()),
      new_code_(memory.class_memory.Allocate<ByteSpan>(file.methods().size())) {
  std::fill_n(new_code_, file.methods().size(), ByteSpan());
  memory.method_memory.Reset();
}

Reason ClassRewriter::Open(uint32_t method, MethodCode* code) {
  memory_->method_memory.Reset();
  method_mark_ = pool_.GetMark();
  open_method_ = method;
  return code->Decode(*file_, file_->methods()[method], memory_->method_memory);
}

Reason ClassRewriter::Apply(MethodEditor& editor) {
  const Reason r = Rewrite(editor);
  if (r != Reason::kOk) pool_.Rewind(method_mark_);
  return r;
}

Reason ClassRewriter::Rewrite(MethodEditor& editor) {
  if (editor.reason() != Reason::kOk) return editor.reason();
  if (editor.empty() && !options_.rewrite_untouched) return Reason::kOk;
  Arena& arena = memory_->method_memory;
  MethodCode& code = editor.mutable_code();
  const uint16_t version = file_->major_version();

  FrameTable frames;
  if (const Reason r = frames.Read(code, arena); r != Reason::kOk) return r;
  BeforeSuper before_super;
  if (editor.has_catch_all()) {
    if (const Reason r = before_super.Compute(code, arena); r != Reason::kOk) return r;
    const auto unprotectable = [&](const InsnRange& range) {
      for (Insn i = range.from; i < range.to; ++i) {
        if (!before_super.At(i)) return false;
      }
      return true;
    };
    const ArenaVector<InsnRange>& ranges = editor.catch_all_ranges();
    if (std::all_of(ranges.begin(), ranges.end(), unprotectable)) editor.DropCatchAll();
    if (editor.empty()) return Reason::kOk;
  }
  // From version 51 on, frames are always needed. A class of version 50 without a table is verified
  // by the old verifier.
  const bool needs_frames =
      version > kFirstVersionWithFrames || (version == kFirstVersionWithFrames && frames.present());
  Layout layout(editor, needs_frames);
  if (const Reason r = layout.Compute(); r != Reason::kOk) return r;
  const uint32_t old_size = static_cast<uint32_t>(code.code().size());
  if (old_size <= options_.huge_method_limit && layout.code_size() > options_.huge_method_limit) {
    return Reason::kCrossesHugeMethodLimit;
  }

  uint32_t max_stack = code.max_stack();
  if (!editor.empty()) {
    StackDepths depths;
    if (NeedsDepths(editor)) {
      const Reason r = depths.Compute(code, frames, slots_, arena);
      if (r != Reason::kOk) return r;
    }
    max_stack = MaxStack(editor, depths);
  }
  const uint32_t max_locals = std::max(uint32_t{code.max_locals()}, editor.locals_used());
  const uint32_t limit = code.short_header() ? 255 : 65535;
  if (max_stack > limit) return Reason::kStackTooDeep;
  if (max_locals > limit) return Reason::kTooManyLocals;

  ByteBuffer out(arena, code.code().size() * 2 + 512);
  const uint8_t* old = file_->bytes().data() + code.method().code_offset;
  out.Append(old, 2);
  out.U4(0);
  if (code.short_header()) {
    out.U1(max_stack);
    out.U1(max_locals);
    out.U2(layout.code_size());
  } else {
    out.U2(max_stack);
    out.U2(max_locals);
    out.U4(layout.code_size());
  }
  if (const Reason r = WriteCode(editor, layout, out); r != Reason::kOk) return r;
  auto* new_exception_index = arena.Allocate<uint32_t>(code.exceptions().size());
  if (const Reason r = WriteExceptions(editor, layout, before_super, new_exception_index, out);
      r != Reason::kOk) {
    return r;
  }
  AttributeWriter attributes(editor, frames, layout, new_exception_index, out);
  if (const Reason r = attributes.Write(version >= kFirstVersionWithFrames); r != Reason::kOk) {
    return r;
  }
  if (pool_.full()) return Reason::kConstantPoolFull;
  StoreU4(out.data() + 2, static_cast<uint32_t>(out.size() - 6));
  auto* kept = memory_->class_memory.Allocate<uint8_t>(out.size());
  std::memcpy(kept, out.data(), out.size());
  if (new_code_[open_method_].data() == nullptr) ++rewritten_;
  new_code_[open_method_] = ByteSpan(kept, out.size());
  if (position_maps_ != nullptr) EncodePositions(layout, code, position_maps_);
  return Reason::kOk;
}

ByteSpan ClassRewriter::Finish() {
  if (rewritten_ == 0) return file_->bytes();
  const ByteSpan in = file_->bytes();
  const std::span<const MemberInfo> methods = file_->methods();
  size_t size = in.size() + pool_.byte_size();
  for (size_t m = 0; m < methods.size(); ++m) {
    if (new_code_[m].data() == nullptr) continue;
    size += new_code_[m].size();
    size -= 6 + size_t{LoadU4(in.data() + methods[m].code_offset + 2)};
  }
  auto* bytes = memory_->class_memory.Allocate<uint8_t>(size);
  uint8_t* to = bytes;
  size_t from = 0;
  const auto copy_until = [&](size_t end) {
    std::memcpy(to, in.data() + from, end - from);
    to += end - from;
    from = end;
  };
  copy_until(file_->pool().end_offset());
  StoreU2(bytes + 8, pool_.pool_count());
  pool_.Write(to);
  to += pool_.byte_size();
  for (size_t m = 0; m < methods.size(); ++m) {
    if (new_code_[m].data() == nullptr) continue;
    copy_until(methods[m].code_offset);
    std::memcpy(to, new_code_[m].data(), new_code_[m].size());
    to += new_code_[m].size();
    from += 6 + size_t{LoadU4(in.data() + methods[m].code_offset + 2)};
  }
  copy_until(in.size());
  return {bytes, size};
}

}  // namespace iprof::classfile
