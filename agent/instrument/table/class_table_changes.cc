// What a copy of a ClassTable is told. See class_table.h.
#include <utility>

#include "agent/instrument/table/class_table.h"
#include "writer/records/class_record_bytes.h"

namespace iprof::instrument {
namespace {

constexpr uint32_t kNone = HashIndex::kNone;

}  // namespace

void ClassTable::NoteAdded(uint32_t number) {
  if (!notes_changes_) return;
  entries_[number]->pending = static_cast<uint32_t>(pending_.size());
  pending_.push_back(number);
}

// Called before the class's entry changes.
void ClassTable::NoteUnloaded(uint32_t number, const UnloadedCounts& counts) {
  if (!notes_changes_) return;
  const Entry& entry = *entries_[number];
  Changes::Unloaded unloaded{entry.copy_number, counts, {}};
  if (entry.copy_number == kNone) {
    if (counts.empty()) return;
    ClassRecord klass;
    klass.name = names_.Text(entry.kept.name);
    klass.hash = entry.kept.hash;
    DecodeContent(BytesOf(entry.kept.content), entry.kept, names_, &klass);
    EncodeClassRecord(klass, &unloaded.record);
  }
  changes_.unloaded.push_back(std::move(unloaded));
}

void ClassTable::NoteChanges() {
  std::lock_guard lock(mutex_);
  notes_changes_ = true;
  changes_ = {};
  pending_.clear();
  next_pending_ = 0;
  next_copy_number_ = 0;
  for (uint32_t n = 0; n < entries_.size(); ++n) {
    if (entries_[n] == nullptr) continue;
    entries_[n]->copy_number = kNone;
    if (entries_[n]->state != Entry::State::kTakenOut) NoteAdded(n);
  }
}

void ClassTable::StopNotingChanges() {
  std::lock_guard lock(mutex_);
  notes_changes_ = false;
  for (const auto& entry : entries_) {
    if (entry != nullptr) entry->pending = entry->copy_number = kNone;
  }
  changes_ = {};
  pending_ = {};
}

ClassTable::Changes ClassTable::TakeChanges(size_t most) {
  std::lock_guard lock(mutex_);
  Changes changes = std::exchange(changes_, {});
  for (Changes::Unloaded& one : changes.unloaded) {
    if (one.number == kNone) one.number = next_copy_number_++;
  }
  for (; next_pending_ < pending_.size() && changes.added.size() < most; ++next_pending_) {
    const uint32_t number = pending_[next_pending_];
    if (number == kNone) continue;
    Entry& entry = *entries_[number];
    entry.pending = kNone;
    entry.copy_number = next_copy_number_++;
    changes.added.push_back({ClassId{number}, entry.copy_number});
  }
  changes.has_more = next_pending_ < pending_.size();
  if (!changes.has_more) {
    pending_.clear();
    next_pending_ = 0;
  }
  return changes;
}

}  // namespace iprof::instrument
