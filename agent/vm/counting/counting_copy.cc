// What Counting adds to a raw file. See counting.h.
#include <algorithm>
#include <chrono>

#include "agent/vm/counting/counting.h"
#include "agent/vm/jvmti/lock_within.h"
#include "writer/methods/class_record_bytes.h"

namespace iprof::vm {
namespace {

// A harvest takes milliseconds. A profile that is being made takes longer, but then this snapshot may
// be left out.
constexpr auto kPatience = std::chrono::milliseconds(500);

// The agent's thread waits while so many classes are added, which takes a few milliseconds.
constexpr size_t kClassesAtOnce = 256;

}  // namespace

void Counting::BeginCopy() {
  copy_ = {};
  store_.types().ForgetPairs();
  instrumenter_.table().NoteChanges();
}

void Counting::EndCopy() {
  copy_ = {};
  if (const std::unique_lock lock = LockWithin(unload_mutex_, kPatience); lock) {
    store_.types().DropPairs(kPatience);
  } else {
    store_.types().ForgetPairs();
  }
  instrumenter_.table().StopNotingChanges();
}

size_t Counting::copy_bytes() const {
  return copy_.pairs.bytes() + copy_.counters.capacity() * sizeof(uint64_t) +
         store_.types().pairs_bytes();
}

size_t Counting::expected_copy_bytes() const {
  constexpr size_t kBytesOfClass = 256;  // its receivers, and that it is in the file
  return store_.copy_bytes() + instrumenter_.classes().loaded * kBytesOfClass;
}

bool Counting::CopyHasOutgrown() const {
  constexpr uint64_t kFew = 4096;
  const auto known = instrumenter_.classes();
  return copy_.added_classes > 2 * (known.loaded + known.unloaded) + kFew ||
         (copy_.is_whole && copy_.pairs.size() > copy_.pairs.seen() * 3 / 2 + kFew);
}

std::optional<Counting::Numbers> Counting::AddTo(JNIEnv* jni, RawWriter& file) {
  // Otherwise classes of the JDK would not be compared before the end.
  if (origin_ != nullptr && store_.is_open()) origin_->Settle(kPatience);
  JudgeAgain(file);
  for (;;) {
    std::unique_lock lock = LockWithin(unload_mutex_, kPatience);
    if (!lock) return std::nullopt;
    const auto changes = instrumenter_.table().TakeChanges(kClassesAtOnce);
    AddClasses(changes, file);
    if (changes.has_more) {
      lock.unlock();
      static_cast<void>(file.Flush());  // if it fails, Publish tries again and tells
      continue;
    }
    // The counters of a class that was unloaded must be read after the file was told.
    copy_.is_whole = store_.Read(environment_.get(), jni, kPatience, &copy_.counters, &copy_.pairs);
    for (; copy_.added_pairs < copy_.pairs.size(); ++copy_.added_pairs) {
      file.AddPair(copy_.added_pairs, copy_.pairs.SiteOf(copy_.added_pairs),
                   copy_.pairs.TypeOf(copy_.added_pairs));
    }
    // The chunks that are ready for later classes have only zeros.
    const auto last = std::find_if(copy_.counters.rbegin(), copy_.counters.rend(),
                                   [](uint64_t count) { return count != 0; });
    const auto used = static_cast<size_t>(copy_.counters.rend() - last);
    Numbers numbers{
        std::span(copy_.counters).first(used), copy_.pairs.counts(), {}, !store_.is_open()};
    const auto add = [&](const MethodKey& key, uint64_t frames) {
      numbers.live_frames.emplace_back(key.text(), frames);
    };
    edges_.ForEach(add);
    if (numbers.at_rest) live_at_close_.ForEach(add);
    return numbers;
  }
}

void Counting::AddClasses(const instrument::ClassTable::Changes& changes, RawWriter& file) {
  if (changes.forgets_unloaded) file.ForgetUnloaded();
  instrument::ClassTable& table = instrumenter_.table();
  for (const auto& added : changes.added) {
    ClassRecord klass;
    UnloadedCounts counts;
    const bool is_unloaded = table.CountsOf(added.id, &counts);
    table.Decode(added.id, 0, 0, &klass);
    AddClass(added.number, klass, file);
    if (is_unloaded) file.AddUnloaded(added.number, counts);
  }
  for (const auto& unloaded : changes.unloaded) {
    if (!unloaded.record.empty()) {
      ClassRecord klass;
      size_t consumed = 0;
      if (DecodeClassRecord(unloaded.record, &klass, &consumed) == SealStatus::kRecord)
        AddClass(unloaded.number, klass, file);
    }
    file.AddUnloaded(unloaded.number, unloaded.counts);
  }
}

void Counting::AddClass(uint32_t number, ClassRecord& klass, RawWriter& file) {
  if (origin_ != nullptr) {
    for (CountedMethod& method : klass.methods) method.origin = origin_->Judge(klass, method);
    if (origin_->MayChange(klass))
      copy_.unjudged.push_back({number, std::string(klass.name), klass.hash});
  }
  file.AddClass(number, klass);
  ++copy_.added_classes;
}

// Adds the classes again that have been compared meanwhile.
void Counting::JudgeAgain(RawWriter& file) {
  for (const Copy::Class& one : std::exchange(copy_.unjudged, {})) {
    ClassRecord klass;
    const auto held = instrumenter_.table().Find(one.name, one.hash, &klass);
    if (!held) continue;  // it was unloaded
    AddClass(one.number, klass, file);
    instrumenter_.Release(*held);
  }
}

}  // namespace iprof::vm
