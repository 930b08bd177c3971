#include "writer/profile/position_notes.h"

#include <algorithm>

namespace iprof {

PositionNotes::Note& PositionNotes::At(MethodIndex method, Bci bci) {
  const auto at = static_cast<size_t>(method);
  if (at >= methods_.size()) methods_.resize(at + 1);
  std::vector<Note>& notes = methods_[at];
  const auto place =
      std::lower_bound(notes.begin(), notes.end(), bci,
                       [](const Note& note, Bci wanted) { return note.bci < wanted; });
  if (place != notes.end() && place->bci == bci) return *place;
  return *notes.insert(place, Note{.bci = bci});
}

const PositionNotes::Note* PositionNotes::Find(MethodIndex method, Bci bci) const {
  const auto at = static_cast<size_t>(method);
  if (at >= methods_.size()) return nullptr;
  const std::vector<Note>& notes = methods_[at];
  const auto place =
      std::lower_bound(notes.begin(), notes.end(), bci,
                       [](const Note& note, Bci wanted) { return note.bci < wanted; });
  return place != notes.end() && place->bci == bci ? &*place : nullptr;
}

void PositionNotes::SetLine(MethodIndex method, Bci bci, int32_t line) {
  if (line < 0) return;
  Note& note = At(method, bci);
  if (note.line == kNoLine || line < note.line) note.line = line;
}

void PositionNotes::SetCallee(MethodIndex method, Bci bci, std::string_view callee) {
  if (callee.empty()) return;
  Note& note = At(method, bci);
  if (note.callee != 0 && names_[note.callee - 1] <= callee) return;
  const auto known = numbers_.find(callee);
  if (known != numbers_.end()) {
    note.callee = known->second;
    return;
  }
  names_.emplace_back(callee);
  note.callee = static_cast<uint32_t>(names_.size());
  numbers_.emplace(names_.back(), note.callee);
}

void PositionNotes::SetRest(MethodIndex method, Bci bci, uint16_t permille) {
  if (permille == 0) return;
  Note& note = At(method, bci);
  note.rest = std::max(note.rest, std::min(permille, kWhole));
}

void PositionNotes::Add(MethodIndex method, const PositionNotes& other, MethodIndex of) {
  const auto at = static_cast<size_t>(of);
  if (at >= other.methods_.size()) return;
  for (const Note& note : other.methods_[at]) {
    SetLine(method, note.bci, note.line);
    if (note.callee != 0) SetCallee(method, note.bci, other.names_[note.callee - 1]);
    SetRest(method, note.bci, note.rest);
  }
}

std::optional<int32_t> PositionNotes::LineOf(MethodIndex method, Bci bci) const {
  const Note* note = Find(method, bci);
  if (note == nullptr || note->line == kNoLine) return std::nullopt;
  return note->line;
}

std::string_view PositionNotes::CalleeOf(MethodIndex method, Bci bci) const {
  const Note* note = Find(method, bci);
  return note == nullptr || note->callee == 0 ? std::string_view() : names_[note->callee - 1];
}

uint16_t PositionNotes::RestOf(MethodIndex method, Bci bci) const {
  const Note* note = Find(method, bci);
  return note == nullptr ? uint16_t{0} : note->rest;
}

void PositionNotes::Clear() {
  methods_.clear();
  numbers_.clear();
  names_.clear();
}

size_t PositionNotes::MemoryBytes() const {
  size_t bytes = methods_.capacity() * sizeof(methods_[0]);
  for (const std::vector<Note>& notes : methods_) bytes += notes.capacity() * sizeof(Note);
  for (const std::string& name : names_) bytes += 2 * sizeof name + name.capacity() + 48;
  return bytes;
}

}  // namespace iprof
