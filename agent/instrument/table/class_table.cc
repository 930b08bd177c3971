#include "agent/instrument/table/class_table.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

namespace iprof::instrument {
namespace {

constexpr uint32_t kNone = HashIndex::kNone;

// Memory per class in the indices and in the tables of names and classes.
constexpr uint64_t kIndexBytes = 80;

uint32_t Folded(uint64_t hash) { return static_cast<uint32_t>(hash ^ (hash >> 32)); }

std::unique_ptr<uint8_t[]> Copied(const std::vector<uint8_t>& bytes) {
  auto copy = std::make_unique<uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return copy;
}

}  // namespace

uint32_t ClassTable::NameHash(std::string_view name) {
  return Folded(std::hash<std::string_view>{}(name));
}

uint32_t ClassTable::KeyHash(std::string_view name, const Hash128& hash) {
  return NameHash(name) ^ Folded(hash.low);
}

uint32_t ClassTable::ContentHash(std::span<const uint8_t> bytes) {
  return Folded(Murmur3(bytes).low);
}

uint32_t ClassTable::FindKey(const HashIndex& index, std::string_view name,
                             const Hash128& hash) const {
  return index.Find(KeyHash(name, hash), [&](uint32_t number) {
    const KeptClass& kept = entries_[number]->kept;
    return kept.hash == hash && names_.Text(kept.name) == name;
  });
}

std::optional<ClassId> ClassTable::Find(std::string_view name, const Hash128& hash,
                                        ClassRecord* decoded) {
  std::lock_guard lock(mutex_);
  const uint32_t number = FindKey(by_key_, name, hash);
  if (number == kNone) return std::nullopt;
  Entry& entry = *entries_[number];
  ++entry.holds;
  ++entry.uses;
  decoded->name = names_.Text(entry.kept.name);
  decoded->hash = hash;
  DecodeContent(BytesOf(entry.kept.content), entry.kept, names_, decoded);
  return ClassId{number};
}

uint32_t ClassTable::NewEntry() {
  auto made = std::make_unique<Entry>();
  uint32_t number;
  if (free_entries_.empty()) {
    number = static_cast<uint32_t>(entries_.size());
    entries_.push_back(std::move(made));
  } else {
    number = free_entries_.back();
    free_entries_.pop_back();
    entries_[number] = std::move(made);
  }
  entry_bytes_ += HeapBytes(sizeof(Entry));
  return number;
}

uint32_t ClassTable::KeepContent(std::vector<uint8_t> bytes) {
  const uint32_t hash = ContentHash(bytes);
  const uint32_t known = content_by_bytes_.Find(hash, [&](uint32_t number) {
    const auto there = BytesOf(number);
    return there.size() == bytes.size() && std::equal(bytes.begin(), bytes.end(), there.begin());
  });
  if (known != kNone) {
    ForEachName(bytes, [&](NameId name) { names_.Release(name); });
    ++contents_[known].uses;
    return known;
  }
  uint32_t number;
  if (free_contents_.empty()) {
    number = static_cast<uint32_t>(contents_.size());
    contents_.emplace_back();
  } else {
    number = free_contents_.back();
    free_contents_.pop_back();
  }
  Content& added = contents_[number];
  added.bytes = Copied(bytes);
  added.size = static_cast<uint32_t>(bytes.size());
  added.uses = 1;
  content_by_bytes_.Insert(hash, number);
  content_bytes_ += HeapBytes(bytes.size());
  ++statistics_.contents;
  return number;
}

void ClassTable::ReleaseContent(uint32_t content) {
  Content& c = contents_[content];
  if (--c.uses > 0) return;
  const auto bytes = BytesOf(content);
  ForEachName(bytes, [&](NameId name) { names_.Release(name); });
  content_by_bytes_.Erase(ContentHash(bytes), content);
  content_bytes_ -= HeapBytes(c.size);
  c = {};
  free_contents_.push_back(content);
  --statistics_.contents;
}

void ClassTable::LinkName(uint32_t number) {
  const NameId name = entries_[number]->kept.name;
  const uint32_t hash = NameHash(names_.Text(name));
  const uint32_t newest =
      newest_by_name_.Find(hash, [&](uint32_t n) { return entries_[n]->kept.name == name; });
  if (newest == kNone) {
    newest_by_name_.Insert(hash, number);
    return;
  }
  entries_[number]->older = newest;
  entries_[newest]->newer = number;
  newest_by_name_.Replace(hash, newest, number);
}

void ClassTable::UnlinkName(uint32_t number) {
  Entry& entry = *entries_[number];
  if (entry.older != kNone) entries_[entry.older]->newer = entry.newer;
  if (entry.newer != kNone) {
    entries_[entry.newer]->older = entry.older;
  } else {
    const uint32_t hash = NameHash(names_.Text(entry.kept.name));
    if (entry.older != kNone) {
      newest_by_name_.Replace(hash, number, entry.older);
    } else {
      newest_by_name_.Erase(hash, number);
    }
  }
  entry.older = entry.newer = kNone;
}

ClassTable::Added ClassTable::Add(const ClassRecord& added) {
  std::lock_guard lock(mutex_);
  if (const uint32_t known = FindKey(by_key_, added.name, added.hash); known != kNone) {
    ++entries_[known]->holds;
    ++entries_[known]->uses;
    return {ClassId{known}, false};
  }
  const uint32_t number = NewEntry();
  Entry& entry = *entries_[number];
  entry.kept.hash = added.hash;
  entry.kept.name = names_.Add(added.name);
  TakeRanges(added, &entry.kept);
  entry_bytes_ += HeapBytes(entry.kept.ranges.capacity() * sizeof(CounterRange));
  entry.kept.content = KeepContent(EncodeContent(added, names_));
  entry.state = Entry::State::kLoaded;
  entry.holds = 1;
  by_key_.Insert(KeyHash(added.name, added.hash), number);
  LinkName(number);
  NoteAdded(number);
  ++statistics_.loaded;
  TellBudget();
  return {ClassId{number}, true};
}

void ClassTable::Hold(ClassId id) {
  std::lock_guard lock(mutex_);
  Entry& entry = At(id);
  ++entry.holds;
  ++entry.uses;
}

void ClassTable::Release(ClassId id) {
  std::lock_guard lock(mutex_);
  Entry& entry = At(id);
  if (--entry.holds > 0 || entry.state != Entry::State::kLoaded) return;
  if (entry.idle) return;
  entry.idle = true;
  idle_.push_back({id, entry.uses});
}

std::vector<ClassTable::Idle> ClassTable::TakeIdle() {
  std::lock_guard lock(mutex_);
  return std::exchange(idle_, {});
}

bool ClassTable::HasSites(ClassId id) const {
  std::lock_guard lock(mutex_);
  return !At(id).kept.SiteRanges().empty();
}

std::optional<ClassTable::Taken> ClassTable::TakeOut(const Idle& idle) {
  std::lock_guard lock(mutex_);
  const auto number = static_cast<uint32_t>(idle.id);
  Entry& entry = At(idle.id);
  if (entry.holds > 0) {
    entry.idle = false;
    return std::nullopt;
  }
  if (entry.uses != idle.uses) {
    idle_.push_back({idle.id, entry.uses});
    return std::nullopt;
  }
  by_key_.Erase(KeyHash(names_.Text(entry.kept.name), entry.kept.hash), number);
  entry.state = Entry::State::kTakenOut;
  --statistics_.loaded;
  const auto counters = entry.kept.CounterRanges();
  const auto sites = entry.kept.SiteRanges();
  return Taken{{counters.begin(), counters.end()}, {sites.begin(), sites.end()}};
}

void ClassTable::Free(uint32_t number) {
  Entry& entry = *entries_[number];
  if (entry.pending != kNone) pending_[entry.pending] = kNone;
  UnlinkName(number);
  DropCounts(entry);
  names_.Release(entry.kept.name);
  ReleaseContent(entry.kept.content);
  entry_bytes_ -= HeapBytes(entry.kept.ranges.capacity() * sizeof(CounterRange));
  entry_bytes_ -= HeapBytes(sizeof(Entry));
  entries_[number].reset();
  free_entries_.push_back(number);
}

void ClassTable::DropCounts(Entry& entry) {
  if (entry.counts == nullptr) return;
  ForEachTypeName({entry.counts.get(), entry.counts_size},
                  [&](NameId name) { names_.Release(name); });
  entry_bytes_ -= HeapBytes(entry.counts_size);
  unloaded_bytes_ -= entry.charge;
  entry.counts.reset();
  entry.counts_size = 0;
  entry.charge = 0;
}

void ClassTable::SetCounts(Entry& entry, const UnloadedCounts& counts) {
  const std::vector<uint8_t> bytes = EncodeCounts(counts, names_);
  DropCounts(entry);
  entry.counts = Copied(bytes);
  entry.counts_size = static_cast<uint32_t>(bytes.size());
  entry.total = counts.Total();
  entry_bytes_ += HeapBytes(bytes.size());
  const Content& content = contents_[entry.kept.content];
  entry.charge = HeapBytes(sizeof(Entry)) + HeapBytes(bytes.size()) +
                 HeapBytes(entry.kept.ranges.size() * sizeof(CounterRange)) +
                 HeapBytes(names_.Text(entry.kept.name).size()) + kIndexBytes +
                 (content.uses == 1 ? HeapBytes(content.size) : 0);
  unloaded_bytes_ += entry.charge;
}

void ClassTable::Unload(ClassId id, const UnloadedCounts& counts) {
  std::lock_guard lock(mutex_);
  const auto number = static_cast<uint32_t>(id);
  Entry& entry = *entries_[number];
  const std::string_view name = names_.Text(entry.kept.name);
  if (counts.empty()) {
    ++statistics_.dropped;
    NoteUnloaded(number, counts);
    Forget(number);
  } else if (const uint32_t before = FindKey(unloaded_by_key_, name, entry.kept.hash);
             before != kNone && entries_[before]->holds == 0) {
    Entry& into = *entries_[before];
    UnloadedCounts sum = DecodeCounts({into.counts.get(), into.counts_size}, names_);
    sum.AddAll(counts);
    // A copy that does not have the older class yet will get it with the sum.
    NoteUnloaded(number, into.pending == kNone ? counts : UnloadedCounts());
    SetCounts(into, sum);
    Free(number);
  } else {
    // If a profile is being made of the class, it keeps its own entry, and this one is added next
    // to it.
    if (entry.pending == kNone) NoteUnloaded(number, counts);
    entry.state = Entry::State::kUnloaded;
    SetCounts(entry, counts);
    // Its counters belong to another class from now on; only their number is kept.
    for (CounterRange& range : entry.kept.ranges) range.first = CounterIndex{0};
    unloaded_by_key_.Insert(KeyHash(name, entry.kept.hash), number);
    ++statistics_.unloaded;
  }
  MakeRoomForUnloaded();
  TellBudget();
}

void ClassTable::LimitUnloaded(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  unloaded_limit_ = bytes;
}

// Frees a class that is not in any index.
void ClassTable::Forget(uint32_t number) {
  const KeptClass& kept = entries_[number]->kept;
  const std::string_view name = names_.Text(kept.name);
  // The same class may exist once more: loaded again, or with older counts.
  if (forgotten_ && FindKey(by_key_, name, kept.hash) == kNone &&
      FindKey(unloaded_by_key_, name, kept.hash) == kNone) {
    forgotten_(name, kept.hash);
  }
  Free(number);
}

void ClassTable::ForgetUnloadedClass(uint32_t number) {
  const KeptClass& kept = entries_[number]->kept;
  unloaded_by_key_.Erase(KeyHash(names_.Text(kept.name), kept.hash), number);
  Forget(number);
  --statistics_.unloaded;
}

void ClassTable::ForgetUnloaded() {
  std::lock_guard lock(mutex_);
  for (uint32_t n = 0; n < entries_.size(); ++n) {
    if (entries_[n] == nullptr || entries_[n]->state != Entry::State::kUnloaded ||
        entries_[n]->holds > 0)
      continue;
    ForgetUnloadedClass(n);
  }
  // A class of which the copy has only the counts is of no use to it; of the others it must know
  // that their counters belong to other classes.
  changes_.forgets_unloaded = notes_changes_;
  std::erase_if(changes_.unloaded, [](const auto& one) { return one.number == kNone; });
  for (Changes::Unloaded& one : changes_.unloaded) one.counts = {};
  TellBudget();
}

// Drops the lowest counts until a quarter of the limit is free, so that this happens rarely.
void ClassTable::MakeRoomForUnloaded() {
  if (unloaded_bytes_ <= unloaded_limit_) return;
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (uint32_t n = 0; n < entries_.size(); ++n) {
    if (entries_[n] != nullptr && entries_[n]->state == Entry::State::kUnloaded &&
        entries_[n]->holds == 0)
      order.emplace_back(entries_[n]->total, n);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [total, number] : order) {
    if (unloaded_bytes_ <= unloaded_limit_ / 4 * 3) return;
    ForgetUnloadedClass(number);
    ++statistics_.forgotten;
    statistics_.forgotten_counts += total;
  }
}

bool ClassTable::KnowsName(std::string_view name) const {
  std::lock_guard lock(mutex_);
  return newest_by_name_.Find(NameHash(name), [&](uint32_t n) {
    return names_.Text(entries_[n]->kept.name) == name;
  }) != kNone;
}

std::vector<ClassRecord> ClassTable::DecodeVersions(std::string_view name,
                                                    const Wanted& wanted) const {
  std::lock_guard lock(mutex_);
  std::vector<ClassRecord> versions;
  uint32_t next = newest_by_name_.Find(
      NameHash(name), [&](uint32_t n) { return names_.Text(entries_[n]->kept.name) == name; });
  for (; next != kNone && versions.size() < kMostVersions; next = entries_[next]->older)
    DecodeWanted(*entries_[next], wanted, &versions.emplace_back());
  return versions;
}

void ClassTable::DecodeWanted(const Entry& entry, const Wanted& wanted,
                              ClassRecord* decoded) const {
  const KeptClass& kept = entry.kept;
  DecodeContent(BytesOf(kept.content), kept, names_, decoded);
  decoded->hash = kept.hash;
  // The class may be unloaded at any time, together with its texts.
  decoded->name = decoded->Keep(names_.Text(kept.name));
  decoded->super_name = decoded->Keep(decoded->super_name);
  std::erase_if(decoded->methods,
                [&](const CountedMethod& m) { return !wanted(m.name, m.descriptor); });
  for (CountedMethod& method : decoded->methods) {
    method.name = decoded->Keep(method.name);
    method.descriptor = decoded->Keep(method.descriptor);
  }
  decoded->callees.clear();
}

std::vector<ClassId> ClassTable::HoldAll() {
  struct Key {
    std::string_view name;
    Hash128 hash;
    uint32_t number;
  };
  std::vector<Key> keys;
  {
    std::lock_guard lock(mutex_);
    keys.reserve(entries_.size());
    for (uint32_t n = 0; n < entries_.size(); ++n) {
      Entry* entry = entries_[n].get();
      if (entry == nullptr || entry->state == Entry::State::kTakenOut) continue;
      ++entry->holds;
      keys.push_back({names_.Text(entry->kept.name), entry->kept.hash, n});
    }
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return std::tie(a.name, a.hash.high, a.hash.low, a.number) <
           std::tie(b.name, b.hash.high, b.hash.low, b.number);
  });
  std::vector<ClassId> all;
  all.reserve(keys.size());
  for (const Key& key : keys) all.push_back(ClassId{key.number});
  return all;
}

void ClassTable::ReleaseAll(const std::vector<ClassId>& held) {
  for (const ClassId id : held) Release(id);
}

bool ClassTable::CountsOf(ClassId id, UnloadedCounts* counts) const {
  std::lock_guard lock(mutex_);
  const Entry& entry = At(id);
  if (entry.state != Entry::State::kUnloaded) return false;
  *counts = DecodeCounts({entry.counts.get(), entry.counts_size}, names_);
  return true;
}

void ClassTable::Decode(ClassId id, uint32_t counter_base, uint32_t site_base,
                        ClassRecord* decoded) const {
  std::lock_guard lock(mutex_);
  const Entry& entry = At(id);
  decoded->name = names_.Text(entry.kept.name);
  decoded->hash = entry.kept.hash;
  KeptClass kept = entry.kept;
  if (entry.state == Entry::State::kUnloaded) {
    for (uint32_t r = 0; r < kept.ranges.size(); ++r) {
      uint32_t& base = r < kept.counter_ranges ? counter_base : site_base;
      kept.ranges[r].first = CounterIndex{base};
      base += kept.ranges[r].count;
    }
  }
  DecodeContent(BytesOf(kept.content), kept, names_, decoded);
}

std::string_view ClassTable::NameOf(ClassId id) const {
  std::lock_guard lock(mutex_);
  return names_.Text(At(id).kept.name);
}

size_t ClassTable::Bytes() const {
  return names_.bytes() + entry_bytes_ + content_bytes_ +
         pending_.capacity() * sizeof(pending_[0]) + entries_.capacity() * sizeof(entries_[0]) +
         contents_.capacity() * sizeof(Content) + by_key_.MemoryBytes() +
         unloaded_by_key_.MemoryBytes() + newest_by_name_.MemoryBytes() +
         content_by_bytes_.MemoryBytes();
}

void ClassTable::TellBudget() const {
  if (budget_ == nullptr) return;
  const size_t bytes = Bytes();
  budget_->Set(MemoryPart::kClasses, bytes - std::min<uint64_t>(bytes, unloaded_bytes_));
  budget_->Set(MemoryPart::kUnloaded, unloaded_bytes_);
}

ClassTable::Statistics ClassTable::statistics() const {
  std::lock_guard lock(mutex_);
  Statistics now = statistics_;
  now.bytes = Bytes();
  now.unloaded_bytes = unloaded_bytes_;
  return now;
}

}  // namespace iprof::instrument
