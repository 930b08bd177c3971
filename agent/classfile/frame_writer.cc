#include "agent/classfile/frame_writer.h"

#include <algorithm>

#include "agent/classfile/descriptor.h"

namespace iprof::classfile {

namespace {

class FrameWriter {
 public:
  FrameWriter(MethodEditor& editor, const FrameTable& frames, const Layout& layout, ByteBuffer& out)
      : editor_(&editor), code_(&editor.code()), frames_(&frames), layout_(&layout), out_(&out) {}

  Reason Write(bool catch_all_frame) {
    const size_t count_at = out_->size();
    out_->U2(0);
    const bool expands = !layout_->stubs().empty() || layout_->has_inverted();
    if (expands) {
      if (const Reason r = ExpandWhatIsNeeded(); r != Reason::kOk) return r;
    }
    // A frame inserted in the middle of the code changes the base of the next frame's difference.
    const bool rewrites_all =
        layout_->has_inner_islands() || layout_->has_inverted() ||
        (!layout_->islands().empty() && layout_->islands()[0].behind + 1 != code_->count());
    if (rewrites_all) {
      WriteAllExpanded();
    } else {
      for (uint32_t k = 0; k < frames_->frames().size(); ++k) Copy(k);
      for (const Island& island : layout_->islands()) WriteIsland(island);
    }
    if (catch_all_frame) WriteCatchAll();
    if (failure_ != Reason::kOk) return failure_;
    if (count_ > 65535) return Reason::kFramesTooLarge;
    StoreU2(out_->data() + count_at, count_);
    return Reason::kOk;
  }

 private:
  Reason ExpandWhatIsNeeded() {
    const auto n = static_cast<uint32_t>(frames_->frames().size());
    if (n == 0) return Reason::kOk;
    Arena& arena = editor_->arena();
    const bool all = layout_->has_inner_islands() || layout_->has_inverted() ||
                     layout_->islands()[0].behind + 1 != code_->count();
    auto* wanted = arena.Allocate<uint8_t>(n);
    std::memset(wanted, all ? 1 : 0, n);
    wanted[n - 1] = 1;
    for (const PlacedStub& s : layout_->stubs()) {
      if (HasFrame(s.target)) wanted[frames_->FrameAt(s.target)] = 1;
    }
    full_ = std::span(arena.AllocateZeroed<FullFrame>(n), n);
    FullFrame initial;
    const Reason r = frames_->Expand(*code_, wanted, full_.data(), &initial, arena);
    if (r == Reason::kOk) SetPrevious(all ? initial : full_[n - 1]);
    return r;
  }

  bool HasFrame(Insn i) const { return (code_->at(i).flags & kHasFrame) != 0; }

  void SetPrevious(const FullFrame& frame) {
    previous_ = frame;
    previous_known_ = true;
  }

  void WriteAllExpanded() {
    const std::span<const FrameRef> refs = frames_->frames();
    const std::span<const Island> islands = layout_->islands();
    size_t island = 0;
    for (uint32_t k = 0; k < refs.size(); ++k) {
      const Insn i = refs[k].insn;
      while (island < islands.size() && islands[island].behind < i) WriteIsland(islands[island++]);
      const uint32_t label = layout_->Label(i);
      if (i > 0 && layout_->FormOf(i - 1) == Form::kInverted && layout_->EndOf(i - 1) != label) {
        Emit(layout_->EndOf(i - 1), full_[k]);
      }
      Emit(label, full_[k]);
    }
    while (island < islands.size()) WriteIsland(islands[island++]);
  }

  void WriteIsland(const Island& island) {
    for (uint32_t s = island.first_stub; s < island.end_stub; ++s) {
      const PlacedStub& stub = layout_->stubs()[s];
      if (HasFrame(stub.target)) Emit(stub.position, full_[frames_->FrameAt(stub.target)]);
    }
  }

  void WriteCatchAll() {
    const CpIndex throwable = editor_->pool().Class("java/lang/Throwable");
    if (throwable == CpIndex::none) Fail(Reason::kConstantPoolFull);
    const VerificationType stack = {kItemObject, 0, Value(throwable)};
    FullFrame frame;
    frame.stack = &stack;
    frame.stack_count = 1;
    previous_known_ = false;
    Emit(layout_->catch_all_position(), frame);
  }

  // Moves to `position` and returns the distance that the frame there must state.
  uint32_t Advance(uint32_t position) {
    const uint32_t delta = count_ == 0 ? position : position - last_position_ - 1;
    if (count_ != 0 && position <= last_position_) Fail(Reason::kInternal);
    last_position_ = position;
    ++count_;
    return delta;
  }

  uint32_t NewPosition(uint16_t bci) const {
    return layout_->Position(code_->IndexAt(uint32_t{bci}));
  }

  // Copies one verification type, with its Uninitialized offset moved. Returns a pointer to the
  // bytes after it.
  const uint8_t* CopyType(const uint8_t* p) {
    const uint8_t tag = p[0];
    out_->U1(tag);
    if (tag < kItemObject) return p + 1;
    const uint16_t value = LoadU2(p + 1);
    out_->U2(tag == kItemUninitialized ? NewPosition(value) : value);
    return p + 3;
  }

  void Copy(uint32_t k) {
    const FrameRef& f = frames_->frames()[k];
    const uint8_t* p = frames_->bytes() + f.offset;
    const uint8_t tag = *p++;
    const uint32_t delta = Advance(layout_->Label(f.insn));
    uint32_t types = 0;
    if (tag < 64) {
      if (delta < 64) {
        out_->U1(delta);
      } else {
        out_->U1(251);
        out_->U2(delta);
      }
      return;
    }
    if (tag < 128) {
      if (delta < 64) {
        out_->U1(64 + delta);
      } else {
        out_->U1(247);
        out_->U2(delta);
      }
      types = 1;
    } else {
      out_->U1(tag);
      out_->U2(delta);
      p += 2;
      if (tag == 247) {
        types = 1;
      } else if (tag >= 252 && tag <= 254) {
        types = tag - 251u;
      } else if (tag == 255) {
        const uint32_t locals = LoadU2(p);
        out_->U2(locals);
        p += 2;
        for (uint32_t i = 0; i < locals; ++i) p = CopyType(p);
        types = LoadU2(p);
        out_->U2(types);
        p += 2;
      }
    }
    for (uint32_t i = 0; i < types; ++i) p = CopyType(p);
  }

  void WriteType(const VerificationType& type) {
    if (type.tag < kItemObject) {
      out_->U1(type.tag);
    } else if (type.tag == kItemArgument) {
      out_->U1(kItemObject);
      out_->U2(Value(ArgumentClass(type.value)));
    } else {
      out_->U1(type.tag);
      out_->U2(type.tag == kItemUninitialized ? NewPosition(type.value) : type.value);
    }
  }

  CpIndex ArgumentClass(uint16_t argument) {
    DescriptorWalk walk(code_->file().DescriptorOf(code_->method()));
    TypeView type;
    for (uint32_t k = 0; k <= argument; ++k) walk.NextArgument(&type);
    // An array's class is named by its descriptor.
    const CpIndex index = editor_->pool().Class(type.kind == 'L' ? type.class_name() : type.text);
    if (index == CpIndex::none) Fail(Reason::kConstantPoolFull);
    return index;
  }

  // Writes the frame in the shortest form that is possible after the previous one.
  void Emit(uint32_t position, const FullFrame& frame) {
    if (failure_ != Reason::kOk) return;
    const uint32_t delta = Advance(position);
    const uint32_t old_count = previous_.local_count;
    const uint32_t new_count = frame.local_count;
    const uint32_t common = std::min(old_count, new_count);
    const bool comparable = previous_known_ && frame.stack_count <= 1 &&
                            std::max(old_count, new_count) - common <= 3 &&
                            (previous_.locals == frame.locals ||
                             std::equal(frame.locals, frame.locals + common, previous_.locals));
    SetPrevious(frame);
    if (comparable && old_count == new_count) {
      if (frame.stack_count == 0) {
        out_->U1(delta < 64 ? delta : 251);
      } else {
        out_->U1(delta < 64 ? 64 + delta : 247);
      }
      if (delta >= 64) out_->U2(delta);
      if (frame.stack_count == 1) WriteType(frame.stack[0]);
      return;
    }
    if (comparable && frame.stack_count == 0) {
      out_->U1(251 + new_count - old_count);
      out_->U2(delta);
      for (uint32_t i = old_count; i < new_count; ++i) WriteType(frame.locals[i]);
      return;
    }
    out_->U1(255);
    out_->U2(delta);
    out_->U2(new_count);
    for (uint32_t i = 0; i < new_count; ++i) WriteType(frame.locals[i]);
    out_->U2(frame.stack_count);
    for (uint32_t i = 0; i < frame.stack_count; ++i) WriteType(frame.stack[i]);
    if (out_->size() > kMaxBytes) Fail(Reason::kFramesTooLarge);
  }

  void Fail(Reason reason) {
    if (failure_ == Reason::kOk) failure_ = reason;
  }

  static constexpr size_t kMaxBytes = 8u << 20;

  MethodEditor* editor_;
  const MethodCode* code_;
  const FrameTable* frames_;
  const Layout* layout_;
  ByteBuffer* out_;
  std::span<FullFrame> full_;
  FullFrame previous_;
  bool previous_known_ = false;
  uint32_t last_position_ = 0;
  uint32_t count_ = 0;
  Reason failure_ = Reason::kOk;
};

}  // namespace

Reason WriteFrames(MethodEditor& editor, const FrameTable& frames, const Layout& layout,
                   bool catch_all_frame, ByteBuffer& out) {
  return FrameWriter(editor, frames, layout, out).Write(catch_all_frame);
}

}  // namespace iprof::classfile
