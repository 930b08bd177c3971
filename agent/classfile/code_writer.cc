#include "agent/classfile/code_writer.h"

#include <algorithm>
#include <utility>

namespace iprof::classfile {

namespace {

class CodeWriter {
 public:
  CodeWriter(MethodEditor& editor, const Layout& layout, ByteBuffer& out)
      : editor_(&editor),
        code_(&editor.code()),
        layout_(&layout),
        out_(&out),
        base_(out.size()),
        routes_(layout.routes()) {}

  Reason Write() {
    const uint32_t n = code_->count();
    const std::span<const MethodEditor::Piece> pieces = layout_->pieces();
    const std::span<const Island> islands = layout_->islands();
    size_t piece = 0;
    size_t island = 0;
    const std::span<const uint16_t> jumps = code_->jumps();
    size_t jump = 0;
    uint32_t run = 0;  // first byte of the original code that is not copied yet
    for (;;) {
      // The next instruction that is not just copied.
      Insn i = n;
      if (piece < pieces.size()) i = std::min(i, pieces[piece].insn);
      if (jump < jumps.size()) i = std::min(i, Insn{jumps[jump]});
      if (island < islands.size()) i = std::min(i, islands[island].behind);
      if (i == n) break;
      const bool has_piece = piece < pieces.size() && pieces[piece].insn == i;
      const bool is_jump = jump < jumps.size() && jumps[jump] == i;
      if (has_piece || is_jump) {
        const uint32_t at = code_->OffsetOf(i);
        out_->Append(code_->code().data() + run, at - run);
        run = at;
        for (; piece < pieces.size() && pieces[piece].insn == i; ++piece) {
          out_->Append(pieces[piece].bytes, pieces[piece].length);
        }
        if (Here() != layout_->Position(i)) return Reason::kInternal;
        if (is_jump) {
          if (!WriteJump(i)) return Reason::kInternal;
          run = code_->OffsetOf(i + 1);
          ++jump;
        }
      }
      if (island < islands.size() && islands[island].behind == i) {
        const uint32_t end = code_->OffsetOf(i + 1);
        out_->Append(code_->code().data() + run, end - run);
        run = end;
        if (!WriteIsland(islands[island++])) return Reason::kInternal;
      }
    }
    const auto end = static_cast<uint32_t>(code_->code().size());
    out_->Append(code_->code().data() + run, end - run);
    if (editor_->has_catch_all()) {
      if (Here() != layout_->catch_all_position()) return Reason::kInternal;
      out_->Append(editor_->catch_all().bytes, editor_->catch_all().length);
      out_->U1(static_cast<uint8_t>(Op::athrow));
    }
    return Here() == layout_->code_size() ? Reason::kOk : Reason::kInternal;
  }

 private:
  uint32_t Here() const { return static_cast<uint32_t>(out_->size() - base_); }

  // The target of the edge (i, slot) in the new code. Slots of one instruction must be requested in
  // ascending order.
  uint32_t Destination(Insn i, Slot slot) {
    while (route_ < routes_.size() && (routes_[route_].insn < i || (routes_[route_].insn == i &&
                                                                    routes_[route_].slot < slot))) {
      ++route_;
    }
    if (route_ < routes_.size() && routes_[route_].insn == i && routes_[route_].slot == slot) {
      return layout_->StubOf(routes_[route_].trampoline).position;
    }
    return layout_->Label(code_->Successor(i, slot));
  }

  static bool FitsShort(int64_t distance) { return distance >= -32768 && distance <= 32767; }

  bool WriteJump(Insn i) {
    const Op op = code_->at(i).op;
    const Format format = InfoOf(op).format;
    const uint32_t here = Here();
    if (format == Format::kTableSwitch || format == Format::kLookupSwitch) {
      WriteSwitch(i, format);
      return true;
    }
    const int64_t distance = int64_t{Destination(i, kTaken)} - here;
    if (format == Format::kBranch4) {
      out_->U1(static_cast<uint8_t>(op));
      out_->U4(static_cast<uint32_t>(distance));
      return true;
    }
    switch (layout_->FormOf(i)) {
      case Form::kAsIs:
        out_->U1(static_cast<uint8_t>(op));
        out_->U2(static_cast<uint32_t>(distance));
        return FitsShort(distance);
      case Form::kWide:
        out_->U1(static_cast<uint8_t>(op == Op::jsr ? Op::jsr_w : Op::goto_w));
        out_->U4(static_cast<uint32_t>(distance));
        return true;
      case Form::kInverted:
        out_->U1(static_cast<uint8_t>(Inverted(op)));
        out_->U2(8);
        out_->U1(static_cast<uint8_t>(Op::goto_w));
        out_->U4(static_cast<uint32_t>(distance - 3));
        return true;
    }
    return false;
  }

  void WriteSwitch(Insn i, Format format) {
    const uint8_t* from = code_->BytesOf(i);
    const uint32_t here = Here();
    const uint32_t old_padding = 3 - (code_->OffsetOf(i) & 3);
    const uint32_t padding = 3 - (here & 3);
    uint8_t* p = out_->Extend(1 + padding);
    std::memset(p, 0, 1 + padding);
    // Padding may be nonzero. Unchanged padding stays as it is.
    std::memcpy(p, from, 1 + (padding == old_padding ? padding : 0));
    const auto distance = [&](Slot slot) { return Destination(i, slot) - here; };
    out_->U4(distance(kSwitchDefault));
    const uint8_t* operands = from + 1 + old_padding;
    const uint32_t keys = code_->SwitchKeyCount(i);
    if (format == Format::kTableSwitch) {
      out_->Append(operands + 4, 8);
      uint8_t* at = out_->Extend(size_t{keys} * 4);
      for (uint32_t k = 0; k < keys; ++k) StoreU4(at + 4 * size_t{k}, distance(k + 1));
    } else {
      out_->Append(operands + 4, 4);
      uint8_t* at = out_->Extend(size_t{keys} * 8);
      for (uint32_t k = 0; k < keys; ++k) {
        std::memcpy(at + 8 * size_t{k}, operands + 8 + 8 * size_t{k}, 4);
        StoreU4(at + 8 * size_t{k} + 4, distance(k + 1));
      }
    }
  }

  bool WriteIsland(const Island& island) {
    for (uint32_t s = island.first_stub; s < island.end_stub; ++s) {
      const PlacedStub& stub = layout_->stubs()[s];
      if (Here() != stub.position) return false;
      out_->Append(stub.bytes, stub.length);
      const int64_t distance = int64_t{layout_->Label(stub.target)} - Here();
      if (stub.wide) {
        out_->U1(static_cast<uint8_t>(Op::goto_w));
        out_->U4(static_cast<uint32_t>(distance));
      } else {
        if (!FitsShort(distance)) return false;
        out_->U1(static_cast<uint8_t>(Op::goto_));
        out_->U2(static_cast<uint32_t>(distance));
      }
    }
    return true;
  }

  MethodEditor* editor_;
  const MethodCode* code_;
  const Layout* layout_;
  ByteBuffer* out_;
  size_t base_;
  std::span<const MethodEditor::Route> routes_;
  size_t route_ = 0;
};

// Inserted code that the range of a handler does not cover.
struct Hole {
  uint32_t start;
  uint32_t end;
};

// A handler's stub and its landing.
struct Landing {
  const PlacedStub* stub;
  const PlacedStub* landing;
  bool covered;  // their exceptions, of any class, are caught at the landing
};

// Writes the entries that replace one original range.
class ExceptionWriter {
 public:
  ExceptionWriter(const MethodCode& code, const Layout& layout, ByteBuffer& out)
      : code_(&code), layout_(&layout), out_(&out) {}

  // `holes` must ascend. If there is a landing, its stub is covered by an entry to the landing
  // instead, unless one exists already.
  void Range(Insn from, Insn to, uint32_t handler, CpIndex type, std::span<const Hole> holes = {},
             const Landing* landing = nullptr) {
    handler_ = handler;
    type_ = type;
    holes_ = holes;
    last_start_ = last_end_ = 0;
    // A conditional branch changes no local, so code on its fall-through edge still matches the
    // handler's frame and belongs to the range. After any other instruction it may not match.
    const uint32_t main_end =
        IsConditionalBranch(code_->at(to - 1).op) ? layout_->Label(to) : layout_->EndOf(to - 1);
    // Code inserted after a monitorenter must be inside the range that releases the monitor. Its
    // locals match the handler's frame, because control continues at the range's first instruction.
    uint32_t start = from > 0 && code_->at(from - 1).op == Op::monitorenter
                         ? layout_->EndOf(from - 1)
                         : layout_->Label(from);
    bool main_written = false;
    for (const Island& island : layout_->islands()) {
      if (!main_written && island.behind >= from) {
        if (island.behind + 1 < to) {
          MainInterval(start, island.start);
          start = island.end;
        } else {
          MainInterval(start, main_end);
          main_written = true;
        }
      }
      if (code_->has_monitorenter()) StubsFor(island, from, to, landing);
    }
    if (!main_written) MainInterval(start, main_end);
    Flush();
  }
  // Adds an entry for all exceptions from a stub and its landing to the landing.
  void Cover(const Landing& landing) {
    handler_ = landing.landing->position;
    type_ = CpIndex::none;
    last_start_ = landing.stub->position;
    last_end_ = landing.landing->end();
    Flush();
  }
  uint32_t count() const { return count_; }

 private:
  void MainInterval(uint32_t start, uint32_t end) {
    for (; !holes_.empty() && holes_.front().start < end; holes_ = holes_.subspan(1)) {
      if (start < holes_.front().start) Interval(start, holes_.front().start);
      start = std::max(start, holes_.front().end);
    }
    if (start < end) Interval(start, end);
  }
  void StubsFor(const Island& island, Insn from, Insn to, const Landing* landing) {
    const PlacedStub* stubs = layout_->stubs().data();
    const auto before = [](const PlacedStub& s, Insn target) { return s.target < target; };
    const PlacedStub* end = stubs + island.end_stub;
    const PlacedStub* first = std::lower_bound(stubs + island.first_stub, end, from, before);
    const PlacedStub* last = std::lower_bound(first, end, to, before);
    if (landing != nullptr && first <= landing->stub && landing->stub < last) {
      // A stub and its landing are adjacent: they have the same target and are consecutive in the
      // editor.
      if (first != landing->stub) Interval(first->position, landing->stub->position);
      Flush();
      if (!landing->covered) {
        const uint32_t handler = std::exchange(handler_, landing->landing->position);
        Interval(landing->stub->position, landing->landing->end());
        Flush();
        handler_ = handler;
      }
      first = landing->landing + 1;
    }
    if (first != last) Interval(first->position, (last - 1)->end());
  }
  void Interval(uint32_t start, uint32_t end) {
    if (start == last_end_ && last_end_ != last_start_) {
      last_end_ = end;
      return;
    }
    Flush();
    last_start_ = start;
    last_end_ = end;
  }
  void Flush() {
    if (last_start_ == last_end_) return;
    uint8_t* p = out_->Extend(8);
    StoreU2(p, last_start_);
    StoreU2(p + 2, last_end_);
    StoreU2(p + 4, handler_);
    StoreU2(p + 6, Value(type_));
    ++count_;
    last_start_ = last_end_ = 0;
  }

  const MethodCode* code_;
  const Layout* layout_;
  ByteBuffer* out_;
  std::span<const Hole> holes_;
  uint32_t handler_ = 0;
  CpIndex type_ = CpIndex::none;
  uint32_t last_start_ = 0;
  uint32_t last_end_ = 0;
  uint32_t count_ = 0;
};

// Finds the code inserted into the first block of a handler; none of the handler's own entries may
// cover it.
void FindHoles(const MethodCode& code, const Layout& layout, Insn handler, Arena& arena,
               ArenaVector<Hole>* holes) {
  holes->Truncate(0);
  const std::span<const MethodEditor::Piece> pieces = layout.pieces();
  const auto before = [](const MethodEditor::Piece& p, Insn i) { return p.insn < i; };
  auto piece = std::lower_bound(pieces.begin(), pieces.end(), handler, before);
  for (Insn i = handler; piece != pieces.end(); ++i) {
    if (i != handler && code.StartsBlock(i)) break;
    if (piece->insn != i) continue;
    if (layout.Label(i) < layout.Position(i)) {
      holes->Push(arena, {layout.Label(i), layout.Position(i)});
    }
    while (piece != pieces.end() && piece->insn == i) ++piece;
  }
}

}  // namespace

Reason WriteCode(MethodEditor& editor, const Layout& layout, ByteBuffer& out) {
  return CodeWriter(editor, layout, out).Write();
}

Reason WriteExceptions(MethodEditor& editor, const Layout& layout, const BeforeSuper& before_super,
                       uint32_t* new_index, ByteBuffer& out) {
  const MethodCode& code = editor.code();
  const std::span<const ExceptionEntry> entries = code.exceptions();
  const size_t count_at = out.size();
  out.U2(0);
  if ((entries.size() + editor.catch_all_ranges().size()) * layout.islands().size() > (4u << 20)) {
    return Reason::kTooComplex;
  }
  // The stub of each handler that has one.
  const ArenaVector<MethodEditor::Stub>& stubs = editor.handler_stubs();
  uint32_t* stub_of = nullptr;
  if (!stubs.empty()) {
    stub_of = editor.arena().AllocateZeroed<uint32_t>(code.count());
    for (uint32_t s = 0; s < stubs.size(); ++s) {
      if (stubs[s].landing) continue;
      if (stub_of[stubs[s].target] != 0) return Reason::kEdgeTaken;
      stub_of[stubs[s].target] = s + 1;
    }
  }
  ExceptionWriter writer(code, layout, out);
  // Exceptions in the stub of a handler that releases a monitor must go to its own landing, not to
  // another handler. So these entries come first.
  const auto covers_itself = [&](Insn handler) {
    return code.has_monitorenter() && (code.at(handler).flags & kCatchesAny) != 0;
  };
  for (uint32_t s = 0; s < stubs.size(); ++s) {
    if (!stubs[s].landing || !covers_itself(stubs[s].target)) continue;
    const uint32_t id = layout.handler_stub_id(s);
    writer.Cover({&layout.StubOf(id - 1), &layout.StubOf(id), true});
  }
  ArenaVector<Hole> holes;
  for (size_t k = 0; k < entries.size(); ++k) {
    const ExceptionEntry& e = entries[k];
    const bool catches_itself = e.from <= e.handler && e.handler < e.to;
    const uint32_t stub_number = stub_of == nullptr ? 0 : stub_of[e.handler];
    new_index[k] = writer.count();
    if (stub_number != 0) {
      const uint32_t id = layout.handler_stub_id(stub_number - 1);
      const PlacedStub& stub = layout.StubOf(id);
      if (catches_itself) {
        const Landing landing{&stub, &layout.StubOf(id + 1), covers_itself(e.handler)};
        writer.Range(e.from, e.to, stub.position, e.catch_type, {}, &landing);
      } else {
        writer.Range(e.from, e.to, stub.position, e.catch_type);
      }
    } else {
      holes.Truncate(0);
      if (catches_itself && !code.has_monitorenter()) {
        FindHoles(code, layout, e.handler, editor.arena(), &holes);
      }
      writer.Range(e.from, e.to, layout.Label(e.handler), e.catch_type,
                   {holes.begin(), holes.size()});
    }
    if (writer.count() > 65535) return Reason::kTableTooLong;
  }
  if (!editor.has_catch_all()) {
    StoreU2(out.data() + count_at, writer.count());
    return Reason::kOk;
  }
  for (const InsnRange& r : editor.catch_all_ranges()) {
    Insn from = r.from;
    while (from < r.to) {
      while (from < r.to && before_super.At(from)) ++from;
      Insn to = from;
      while (to < r.to && !before_super.At(to)) ++to;
      if (from < to) writer.Range(from, to, layout.catch_all_position(), CpIndex::none);
      if (writer.count() > 65535) return Reason::kTableTooLong;
      from = to;
    }
  }
  StoreU2(out.data() + count_at, writer.count());
  return Reason::kOk;
}

}  // namespace iprof::classfile
