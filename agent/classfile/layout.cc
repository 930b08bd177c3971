#include "agent/classfile/layout.h"

#include <algorithm>

namespace iprof::classfile {

namespace {

constexpr uint32_t kMaxCode = 65535;
constexpr uint32_t kShortReach = 32767;
// A trampoline stays at the end of the code if its branch is at most this many bytes away.
constexpr uint32_t kComfortableReach = 28000;

// Positions far beyond the limit need not be exact, only large.
uint32_t Clamp(uint64_t position) {
  return static_cast<uint32_t>(std::min<uint64_t>(position, 1u << 30));
}

bool FitsShort(int64_t distance, int64_t reach) { return distance >= -reach && distance <= reach; }

}  // namespace

Layout::Layout(MethodEditor& editor, bool needs_frames)
    : editor_(&editor),
      code_(&editor.mutable_code()),
      arena_(&editor.arena()),
      needs_frames_(needs_frames) {}

uint32_t Layout::SizeAt(Insn i, uint32_t position) const {
  const uint32_t length = code_->LengthOf(i);
  if (IsSwitch(code_->at(i).op)) {
    const uint32_t old_padding = 3 - (code_->OffsetOf(i) & 3);
    const uint32_t new_padding = 3 - (position & 3);
    return length - old_padding + new_padding;
  }
  switch (FormOf(i)) {
    case Form::kAsIs:
      break;
    case Form::kWide:
      return 5;
    case Form::kInverted:
      return 8;
  }
  return length;
}

Reason Layout::SortInsertions() {
  ArenaVector<MethodEditor::Piece>& pieces = editor_->pieces();
  const auto piece_before = [](const MethodEditor::Piece& a, const MethodEditor::Piece& b) {
    if (a.insn != b.insn) return a.insn < b.insn;
    if (a.place != b.place) return a.place < b.place;
    return a.order < b.order;
  };
  if (!std::is_sorted(pieces.begin(), pieces.end(), piece_before)) {
    std::sort(pieces.begin(), pieces.end(), piece_before);
  }
  const auto route_before = [](const MethodEditor::Route& a, const MethodEditor::Route& b) {
    return a.insn != b.insn ? a.insn < b.insn : a.slot < b.slot;
  };
  if (!std::is_sorted(routes_.begin(), routes_.end(), route_before)) {
    std::sort(routes_.begin(), routes_.end(), route_before);
  }
  for (uint32_t k = 1; k < routes_.size(); ++k) {
    if (routes_[k].insn == routes_[k - 1].insn && routes_[k].slot == routes_[k - 1].slot) {
      return Reason::kEdgeTaken;
    }
  }
  return Reason::kOk;
}

void Layout::SortStubs() {
  const auto before = [](const PlacedStub& a, const PlacedStub& b) {
    if (a.island != b.island) return a.island < b.island;
    return a.target != b.target ? a.target < b.target : a.id < b.id;
  };
  if (!std::is_sorted(stubs_.begin(), stubs_.end(), before)) {
    std::sort(stubs_.begin(), stubs_.end(), before);
  }
  stub_of_id_ = arena_->Allocate<uint32_t>(stubs_.size());
  islands_.Truncate(0);
  for (uint32_t s = 0; s < stubs_.size(); ++s) {
    stub_of_id_[stubs_[s].id] = s;
    if (islands_.empty() || islands_.back().behind != stubs_[s].island) {
      islands_.Push(*arena_, {stubs_[s].island, s, s, 0, 0});
    }
    islands_.back().end_stub = s + 1;
  }
}

Reason Layout::Compute() {
  const uint32_t n = code_->count();
  for (const MethodEditor::Route& r : editor_->routes()) routes_.Push(*arena_, r);
  if (const Reason r = SortInsertions(); r != Reason::kOk) return r;
  const Insn last = n - 1;
  trampoline_count_ = editor_->trampolines().size();
  uint32_t id = 0;
  for (const MethodEditor::Stub& s : editor_->trampolines()) {
    stubs_.Push(*arena_, {s.source, s.target, last, id++, s.bytes, s.length, 0, false});
  }
  for (const MethodEditor::Stub& s : editor_->handler_stubs()) {
    stubs_.Push(*arena_, {s.source, s.target, last, id++, s.bytes, s.length, 0, false});
  }
  SortStubs();
  label_ = arena_->Allocate<uint32_t>(size_t{n} + 1);
  position_ = arena_->Allocate<uint32_t>(size_t{n} + 1);
  identity_ = editor_->empty();
  Place();
  if (size_ > kMaxCode) return Reason::kCodeTooLong;
  if (size_ <= kShortReach) return Reason::kOk;

  form_ = arena_->AllocateZeroed<Form>(n);
  MoveStubsNearTheirBranches();
  Place();
  // Every round only makes things larger, and later rounds keep more room in reserve, so this
  // terminates.
  for (int round = 0; round < 16; ++round) {
    const int64_t reach = int64_t{kShortReach} - (round < 6 ? 0 : 1500 * (round - 5));
    bool changed = false;
    if (const Reason r = GrowFarBranches(reach, &changed); r != Reason::kOk) return r;
    if (!changed) return size_ > kMaxCode ? Reason::kCodeTooLong : Reason::kOk;
    identity_ = false;
    Place();
    if (size_ > kMaxCode) return Reason::kCodeTooLong;
  }
  return Reason::kBranchTooFar;
}

void Layout::PlaceIsland(Island& island, uint64_t* at) {
  island.start = Clamp(*at);
  for (uint32_t s = island.first_stub; s < island.end_stub; ++s) {
    stubs_[s].position = Clamp(*at);
    *at = stubs_[s].end();
  }
  island.end = Clamp(*at);
}

void Layout::Place() {
  const uint32_t n = code_->count();
  const MethodEditor::Piece* piece = editor_->pieces().begin();
  const MethodEditor::Piece* const piece_end = editor_->pieces().end();
  uint32_t island = 0;
  const std::span<const uint16_t> jumps = code_->jumps();
  size_t jump = 0;
  uint64_t at = 0;
  for (Insn i = 0; i < n; ++i) {
    // All instructions up to the next special one move by the same distance.
    Insn special = n;
    if (piece != piece_end) special = std::min(special, piece->insn);
    if (jump < jumps.size()) special = std::min(special, Insn{jumps[jump]});
    if (island < islands_.size()) special = std::min(special, islands_[island].behind);
    const uint32_t moved = Clamp(at) - code_->OffsetOf(i);
    for (; i < special; ++i) label_[i] = position_[i] = code_->OffsetOf(i) + moved;
    at = code_->OffsetOf(i) + moved;
    if (i == n) break;
    if (jump < jumps.size() && jumps[jump] == i) ++jump;
    if (piece != piece_end && piece->insn == i) {
      while (piece != piece_end && piece->insn == i &&
             piece->place == MethodEditor::Place::kFallEdge) {
        at += piece->length;
        ++piece;
      }
      label_[i] = Clamp(at);
      while (piece != piece_end && piece->insn == i) {
        at += piece->length;
        ++piece;
      }
    } else {
      label_[i] = Clamp(at);
    }
    const uint32_t position = Clamp(at);
    position_[i] = position;
    at = uint64_t{position} + SizeAt(i, position);
    if (island < islands_.size() && islands_[island].behind == i && i + 1 < n) {
      PlaceIsland(islands_[island++], &at);
    }
  }
  label_[n] = position_[n] = Clamp(at);
  if (island < islands_.size()) PlaceIsland(islands_[island], &at);
  catch_all_ = Clamp(at);
  if (editor_->has_catch_all()) at += editor_->catch_all().length + 1;
  size_ = Clamp(at);
}

Insn Layout::NearestIsland(Insn source) {
  const uint32_t n = code_->count();
  if (island_before_ == nullptr) {
    island_before_ = arena_->Allocate<Insn>(n);
    island_after_ = arena_->Allocate<Insn>(n);
    Insn nearest = MethodCode::kNone;
    for (Insn i = 0; i < n; ++i) {
      if (IsUnconditional(code_->at(i).op)) nearest = i;
      island_before_[i] = nearest;
    }
    for (Insn i = n; i-- > 0;) {
      if (IsUnconditional(code_->at(i).op)) nearest = i;
      island_after_[i] = nearest;
    }
  }
  const Insn before = island_before_[source];
  const Insn after = island_after_[source];  // at the latest the last instruction
  if (before == MethodCode::kNone) return after;
  return position_[source] - position_[before] < position_[after] - position_[source] ? before
                                                                                      : after;
}

void Layout::MoveStubsNearTheirBranches() {
  bool moved = false;
  for (PlacedStub& s : stubs_) {
    if (s.id >= trampoline_count_ || IsSwitch(code_->at(s.source).op)) continue;
    if (size_ - position_[s.source] < kComfortableReach) continue;
    const Insn island = NearestIsland(s.source);
    if (island == MethodCode::kNone || island == s.island) continue;
    s.island = island;
    moved = true;
  }
  if (moved) SortStubs();
}

Reason Layout::GrowConditional(Insn i, bool routed) {
  if (!needs_frames_ || (code_->at(i + 1).flags & kHasFrame) != 0) {
    form_[i] = Form::kInverted;
    has_inverted_ = true;
    return Reason::kOk;
  }
  const Insn island = routed ? MethodCode::kNone : NearestIsland(i);
  if (island == MethodCode::kNone) return Reason::kBranchTooFar;
  // New trampolines get ids after all existing ones.
  const uint32_t id = stubs_.size();
  stubs_.Push(*arena_, {i, code_->Successor(i, kTaken), island, id, nullptr, 0, 0, false});
  routes_.Push(*arena_, {i, kTaken, id});
  return Reason::kOk;
}

Reason Layout::GrowFarBranches(int64_t reach, bool* changed) {
  const uint32_t known_routes = routes_.size();
  uint32_t route = 0;
  for (PlacedStub& s : stubs_) {
    if (s.wide || FitsShort(int64_t{label_[s.target]} - s.goto_position(), reach)) continue;
    s.wide = true;
    *changed = true;
  }
  for (const Insn i : code_->jumps()) {
    const Op op = code_->at(i).op;
    if (InfoOf(op).format != Format::kBranch2 || form_[i] != Form::kAsIs) continue;
    while (route < known_routes && routes_[route].insn < i) ++route;
    const bool routed = route < known_routes && routes_[route].insn == i;
    const uint32_t to =
        routed ? StubOf(routes_[route].trampoline).position : label_[code_->Successor(i, kTaken)];
    if (FitsShort(int64_t{to} - position_[i], reach)) continue;
    if (!IsConditionalBranch(op)) {
      form_[i] = Form::kWide;
      *changed = true;
      continue;
    }
    // A routed branch that is only near the limit may stay. If it is beyond the limit, nothing
    // helps.
    if (routed && needs_frames_ && (code_->at(i + 1).flags & kHasFrame) == 0 &&
        FitsShort(int64_t{to} - position_[i], kShortReach)) {
      continue;
    }
    *changed = true;
    if (const Reason r = GrowConditional(i, routed); r != Reason::kOk) return r;
  }
  if (routes_.size() != known_routes) {
    // stub_of_id_ is extended by SortStubs.
    std::sort(routes_.begin(), routes_.end(),
              [](const MethodEditor::Route& a, const MethodEditor::Route& b) {
                return a.insn != b.insn ? a.insn < b.insn : a.slot < b.slot;
              });
    SortStubs();
  }
  return Reason::kOk;
}

}  // namespace iprof::classfile
