// Layout: the position of everything in a rewritten method.
//
// Guarantees: if Compute returns kOk, all positions are final, the code has at most 65,535 bytes,
// and every branch fits its form. Trampolines and stubs are placed in islands after instructions
// that do not fall through: one island at the end of the code and, if that is out of a conditional
// branch's reach, others near the branch. A branch that no longer fits 16 bits becomes
//   goto, jsr        goto_w, jsr_w
//   if…              the inverted branch around a goto_w, if the next instruction has a stack map
//                    frame of its own or no stack map is needed; otherwise a branch to an empty
//                    trampoline nearby, which has its target's frame
// Threads: one per editor; const methods may run in parallel after Compute.
// Failure: Compute returns the reason: kBranchTooFar if neither form of a conditional branch is
// possible.
#pragma once

#include "agent/classfile/method_editor.h"

namespace iprof::classfile {

enum class Form : uint8_t { kAsIs, kWide, kInverted };

struct PlacedStub {
  Insn source;
  Insn target;
  Insn island;  // placed after this instruction
  uint32_t id;  // trampolines first, then handler stubs, in the editor's order
  const uint8_t* bytes;
  uint32_t length;
  uint32_t position;
  bool wide;  // whether its goto is a goto_w

  uint32_t end() const { return position + length + (wide ? 5 : 3); }
  uint32_t goto_position() const { return position + length; }
};

struct Island {
  Insn behind;
  uint32_t first_stub;
  uint32_t end_stub;
  uint32_t start;  // positions
  uint32_t end;
};

class Layout {
 public:
  // needs_frames: the JVM requires a stack map frame wherever control flow merges.
  Layout(MethodEditor& editor, bool needs_frames);

  Reason Compute();

  // Where branches to an instruction go. For count(): the end of the code, before its island.
  uint32_t Label(Insn i) const { return label_[i]; }
  // Where the instruction itself is, after what was inserted before it.
  uint32_t Position(Insn i) const { return position_[i]; }
  // The end of the instruction, before any code on its fall-through edge.
  uint32_t EndOf(Insn i) const { return position_[i] + SizeAt(i, position_[i]); }
  Form FormOf(Insn i) const { return form_ == nullptr ? Form::kAsIs : form_[i]; }
  std::span<const PlacedStub> stubs() const { return {stubs_.begin(), stubs_.size()}; }
  std::span<const Island> islands() const { return {islands_.begin(), islands_.size()}; }
  const PlacedStub& StubOf(uint32_t id) const { return stubs_[stub_of_id_[id]]; }
  uint32_t handler_stub_id(uint32_t n) const { return trampoline_count_ + n; }
  std::span<const MethodEditor::Route> routes() const { return {routes_.begin(), routes_.size()}; }
  std::span<const MethodEditor::Piece> pieces() const {
    return {editor_->pieces().begin(), editor_->pieces().size()};
  }
  uint32_t catch_all_position() const { return catch_all_; }
  uint32_t code_size() const { return size_; }
  bool has_inner_islands() const { return islands_.size() > 1; }
  bool has_inverted() const { return has_inverted_; }
  // True if nothing was inserted and nothing moved.
  bool is_identity() const { return identity_; }

 private:
  uint32_t SizeAt(Insn i, uint32_t position) const;
  Reason SortInsertions();
  void SortStubs();
  void Place();
  void PlaceIsland(Island& island, uint64_t* at);
  void MoveStubsNearTheirBranches();
  Reason GrowFarBranches(int64_t reach, bool* changed);
  Reason GrowConditional(Insn i, bool routed);
  Insn NearestIsland(Insn source);

  MethodEditor* editor_;
  MethodCode* code_;
  Arena* arena_;
  bool needs_frames_;
  bool identity_ = false;
  bool has_inverted_ = false;
  uint32_t* label_ = nullptr;
  uint32_t* position_ = nullptr;
  Form* form_ = nullptr;
  Insn* island_before_ = nullptr;  // nearest place for an island, at or before each instruction
  Insn* island_after_ = nullptr;
  ArenaVector<PlacedStub> stubs_;
  ArenaVector<Island> islands_;
  ArenaVector<MethodEditor::Route> routes_;
  uint32_t* stub_of_id_ = nullptr;
  uint32_t trampoline_count_ = 0;
  uint32_t catch_all_ = 0;
  uint32_t size_ = 0;
};

}  // namespace iprof::classfile
