#include "agent/classfile/method_editor.h"

#include <algorithm>

#include "agent/classfile/descriptor.h"

namespace iprof::classfile {

FreshLocal MethodEditor::TakeLocal(int slots) {
  const uint32_t index = next_local_;
  next_local_ += static_cast<uint32_t>(slots);
  max_local_ = std::max(max_local_, next_local_);
  if (next_local_ > 65535) {
    Fail(Reason::kTooManyLocals);
    return {65535};
  }
  return {static_cast<uint16_t>(index)};
}

bool MethodEditor::Accept(Insn i, const Snippet& snippet, uint16_t consumed) {
  if (!snippet.valid()) {
    Fail(snippet.reason);
  } else if (snippet.consumed != consumed) {
    Fail(Reason::kBadSnippet);
  } else if (i >= code_->count()) {
    Fail(Reason::kNoSuchEdge);
  } else {
    return true;
  }
  return false;
}

void MethodEditor::AddPiece(Insn i, Place place, const Snippet& s) {
  pieces_.Push(*arena_, {i, place, s.extra_stack, s.length, s.bytes, pieces_.size()});
}

void MethodEditor::OnEntry(const Snippet& snippet) {
  if (Accept(0, snippet, 0)) AddPiece(0, Place::kFallEdge, snippet);
}

void MethodEditor::Before(Insn i, const Snippet& snippet) {
  if (Accept(i, snippet, 0)) AddPiece(i, Place::kBefore, snippet);
}

void MethodEditor::OnEdge(Insn i, Slot slot, const Snippet& snippet) {
  if (!Accept(i, snippet, 0)) return;
  const Insn target = code_->Successor(i, slot);
  const Op op = code_->at(i).op;
  if (target == MethodCode::kNone || target >= code_->count()) {
    Fail(Reason::kNoSuchEdge);
  } else if (slot == kFallThrough && !IsSwitch(op)) {
    AddPiece(target, Place::kFallEdge, snippet);
  } else if (IsGoto(op) || IsJsr(op)) {
    AddPiece(i, Place::kJumpEdge, snippet);
  } else {
    const Slot slots[] = {slot};
    OnEdges(i, slots, snippet);
  }
}

void MethodEditor::OnEdges(Insn i, std::span<const Slot> slots, const Snippet& snippet) {
  if (!Accept(i, snippet, 0) || slots.empty()) return;
  const Op op = code_->at(i).op;
  if (slots.size() == 1 && !IsSwitch(op) &&
      (slots[0] == kFallThrough || !IsConditionalBranch(op))) {
    OnEdge(i, slots[0], snippet);
    return;
  }
  const Insn target = code_->Successor(i, slots[0]);
  if (target == MethodCode::kNone || !(IsSwitch(op) || IsConditionalBranch(op))) {
    Fail(Reason::kNoSuchEdge);
    return;
  }
  for (const Slot slot : slots) {
    if (code_->Successor(i, slot) != target || (!IsSwitch(op) && slot != kTaken)) {
      Fail(Reason::kEdgeTaken);
      return;
    }
    routes_.Push(*arena_, {i, slot, trampolines_.size()});
  }
  trampolines_.Push(*arena_, {i, target, snippet.length, snippet.bytes, snippet.extra_stack});
}

void MethodEditor::OnHandler(Insn handler, const Snippet& snippet) {
  if (!Accept(handler, snippet, 0)) return;
  const uint8_t flags = code_->at(handler).flags;
  if ((flags & kIsHandler) == 0) {
    Fail(Reason::kNoSuchEdge);
    return;
  }
  const bool normal_too =
      handler == 0 || (flags & kIsBranchTarget) != 0 || code_->CanFallInto(handler);
  const bool catches_itself = (flags & kCatchesItself) != 0;
  const bool may_release = code_->has_monitorenter() && (flags & kCatchesAny) != 0;
  if (!normal_too && !may_release && !(catches_itself && code_->has_monitorenter())) {
    AddPiece(handler, Place::kHandler, snippet);
    return;
  }
  handler_stubs_.Push(*arena_,
                      {handler, handler, snippet.length, snippet.bytes, snippet.extra_stack});
  if (catches_itself || may_release) {
    handler_stubs_.Push(*arena_, {handler, handler, 0, nullptr, 0, true});
  }
}

void MethodEditor::BeforeCall(Insn i, const Snippet& snippet) {
  if (!Accept(i, snippet, 1)) return;
  const Op op = code_->at(i).op;
  const std::optional<MemberRef> member = IsInvoke(op) ? code_->Member(i) : std::nullopt;
  if (!member || op == Op::invokestatic || op == Op::invokedynamic) {
    Fail(Reason::kNoReceiver);
    return;
  }
  if (member->name == "<init>") {
    Fail(Reason::kUninitializedReceiver);
    return;
  }
  char kinds[256];
  int count = 0;
  int argument_slots = 0;
  DescriptorWalk walk(member->descriptor);
  TypeView type;
  while (walk.NextArgument(&type) && count < 255) {
    kinds[count++] = type.load_kind();
    argument_slots += type.slots();
  }
  if (!walk.Result(&type) || argument_slots > 254) {
    Fail(Reason::kBadDescriptor);
    return;
  }
  const uint32_t saved_next = next_local_;
  next_local_ = std::max(next_local_, uint32_t{code_->max_locals()});
  uint16_t locals[256];
  // For each argument at most a store, a load and a store of null, of four bytes each, and one byte
  // more.
  auto* bytes = arena_->Allocate<uint8_t>(snippet.length + 3 + 13 * static_cast<size_t>(count));
  uint32_t at = 0;
  // The depth of the stack relative to its depth before the call, and the maximum.
  int depth = 0;
  int deepest = 0;
  const auto move = [&](Op base, char kind, uint16_t local) {
    const int number = kind == 'I' ? 0 : kind == 'J' ? 1 : kind == 'F' ? 2 : kind == 'D' ? 3 : 4;
    const auto generic = static_cast<uint8_t>(static_cast<int>(base) + number);
    const Op first = base == Op::iload ? Op::iload_0 : Op::istore_0;
    if (local <= 3) {
      bytes[at++] = static_cast<uint8_t>(static_cast<int>(first) + 4 * number + local);
    } else if (local <= 255) {
      bytes[at++] = generic;
      bytes[at++] = static_cast<uint8_t>(local);
    } else {
      bytes[at++] = static_cast<uint8_t>(Op::wide);
      bytes[at++] = generic;
      StoreU2(bytes + at, local);
      at += 2;
    }
    depth += (base == Op::iload ? 1 : -1) * (kind == 'J' || kind == 'D' ? 2 : 1);
  };
  const auto plain = [&](Op op, int change) {
    bytes[at++] = static_cast<uint8_t>(op);
    depth += change;
    deepest = std::max(deepest, depth);
  };

  int kept = count;  // arguments that stay on the stack, at most two slots
  int kept_slots = argument_slots;
  while (kept_slots > 2) {
    --kept;
    const int slots = kinds[kept] == 'J' || kinds[kept] == 'D' ? 2 : 1;
    locals[kept] = TakeLocal(slots).index;
    move(Op::istore, kinds[kept], locals[kept]);
    kept_slots -= slots;
  }
  switch (kept_slots) {
    case 0:  // receiver
      plain(Op::dup, +1);
      break;
    case 1:  // receiver a
      plain(Op::dup2, +2);
      plain(Op::pop, -1);  // receiver a receiver
      break;
    default:  // receiver a b, where a b may be one long or double
      plain(Op::dup2_x1, +2);
      plain(Op::pop2, -2);    // a b receiver
      plain(Op::dup_x2, +1);  // receiver a b receiver
      break;
  }
  if (snippet.length != 0) std::memcpy(bytes + at, snippet.bytes, snippet.length);
  at += snippet.length;
  deepest = std::max(deepest, depth + int{snippet.extra_stack});
  depth -= 1;
  for (int k = kept; k < count; ++k) {
    move(Op::iload, kinds[k], locals[k]);
    if (kinds[k] != 'A') continue;
    plain(Op::aconst_null, +1);
    move(Op::istore, 'A', locals[k]);
  }
  next_local_ = saved_next;

  Snippet whole;
  whole.bytes = bytes;
  whole.length = at;
  whole.extra_stack = static_cast<uint16_t>(deepest);
  AddPiece(i, Place::kBefore, whole);
}

void MethodEditor::CatchAll(std::span<const InsnRange> ranges, const Snippet& snippet) {
  if (!Accept(0, snippet, 0)) return;
  if (has_catch_all_) {
    Fail(Reason::kEdgeTaken);
    return;
  }
  for (const InsnRange& r : ranges) {
    if (r.from >= r.to || r.to > code_->count()) {
      Fail(Reason::kNoSuchEdge);
      return;
    }
    catch_all_ranges_.Push(*arena_, r);
  }
  catch_all_ = snippet;
  has_catch_all_ = true;
}

void MethodEditor::CatchAll(const Snippet& snippet) {
  const InsnRange all[] = {{0, code_->count()}};
  CatchAll(all, snippet);
}

}  // namespace iprof::classfile
