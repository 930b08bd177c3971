#include "writer/records/raw/raw_records.h"

#include <algorithm>
#include <unordered_map>

#include "writer/base/sealed_bytes.h"
#include "writer/base/varint.h"
#include "writer/profile/sample_threads.h"
#include "writer/records/class_record_bytes.h"
#include "writer/records/raw/raw_counts.h"

namespace iprof {
namespace {

std::vector<uint8_t> Begin(RawRecordKind kind) {
  return {kRawRecordVersion, static_cast<uint8_t>(kind)};
}

RawRecord Seal(std::span<const uint8_t> body) {
  RawRecord record;
  record.reserve(body.size() + 9);
  AppendSealed(body, &record);
  return record;
}

void Put(uint64_t value, std::vector<uint8_t>* out) { PutVarint(value, out); }

// A method has at most 65,535 bytes.
constexpr uint32_t kBciEnd = 65535;

// Whether a class has any counts.
struct AnyCount {
  void Counter(uint32_t, uint64_t) { found = true; }
  void Site(uint32_t, uint64_t) { found = true; }
  void Type(uint32_t, std::string_view, uint64_t) {}
  bool found = false;
};

// Reads the log, record by record.
class LogReading {
 public:
  LogReading(const RawNumbers& numbers, RawContents* contents)
      : numbers_(numbers), contents_(*contents) {}

  RawLogRead Read(std::span<const uint8_t> log) {
    while (true) {
      const Sealed sealed = OpenSealed(log, kRawRecordVersion);
      if (sealed.status == SealStatus::kEnd) break;
      const bool read = sealed.status == SealStatus::kRecord && ReadRecord(sealed.body);
      if (!read) ++contents_.damaged_records;
      if (sealed.consumed == 0) break;  // the rest cannot be found
      log = log.subspan(sealed.consumed);
    }
    Finish();
    return read_;
  }

 private:
  struct Pair {
    uint32_t site = 0;
    std::string_view type;
    bool known = false;
  };

  bool ReadRecord(std::span<const uint8_t> body) {
    BoundedReader in(body);
    const uint32_t kind = in.Get();
    switch (static_cast<RawRecordKind>(kind)) {
      case RawRecordKind::kClass:
        return ReadClass(&in, body);
      case RawRecordKind::kUnloaded:
        return ReadUnloaded(&in, body);
      case RawRecordKind::kForgotten:
        return Forget(&in);
      case RawRecordKind::kType:
        return ReadType(&in, body);
      case RawRecordKind::kPair:
        return ReadPair(&in);
      case RawRecordKind::kMethod:
        return ReadMethod(&in);
      case RawRecordKind::kStack:
        return ReadStack(&in);
      case RawRecordKind::kPart:
        return ReadPart(&in);
      case RawRecordKind::kFirst:
        return ReadFirst(&in);
    }
    return false;
  }

  bool ReadClass(BoundedReader* in, std::span<const uint8_t> body) {
    const uint32_t number = in->Get();
    if (!in->ok()) return false;
    const auto bytes = body.subspan(in->position());
    ClassRecord record;
    size_t consumed = 0;
    if (bytes.size() > kMostRawClassBytes ||
        DecodeClassRecord(bytes, &record, &consumed) != SealStatus::kRecord ||
        consumed != bytes.size() || !IsOfJvms(record)) {
      // An earlier record of the class is out of date.
      Drop(number);
      return false;
    }
    const RawClass made{.record = bytes, .name = NameInClassRecord(bytes), .hash = record.hash};
    const auto [known, is_new] = numbers_of_classes_.try_emplace(number, classes_.size());
    if (is_new) {
      classes_.push_back({made, true});
    } else {
      classes_[known->second] = {made, true};
    }
    return true;
  }

  bool ReadFirst(BoundedReader* in) {
    std::vector<uint32_t> counters;
    RawAscending counter(in);
    for (uint32_t left = in->GetCount(1); left > 0 && in->ok(); --left) {
      const uint32_t number = counter.Next();
      if (in->ok() && number < numbers_.counters) counters.push_back(number);
    }
    if (!in->ok() || !in->at_end()) return false;
    contents_.first_seen.NoteNew(counters);
    return true;
  }

  void Drop(uint32_t number) {
    const auto known = numbers_of_classes_.find(number);
    if (known != numbers_of_classes_.end()) classes_[known->second].kept = false;
  }

  bool ReadUnloaded(BoundedReader* in, std::span<const uint8_t> body) {
    const uint32_t number = in->Get();
    if (!in->ok()) return false;
    ++read_.unloaded;
    const auto known = numbers_of_classes_.find(number);
    const auto counts = body.subspan(in->position());
    AnyCount any;
    ReadRawCounts(in, &any);
    const bool whole = in->ok() && in->at_end();
    if (known == numbers_of_classes_.end()) return whole;
    Class& klass = classes_[known->second];
    // Even if its counts are damaged: its counters are not its own any more.
    klass.type.unloaded = true;
    unloaded_.push_back(known->second);
    klass.kept = klass.kept && whole && any.found;
    klass.type.counts = counts;
    return whole;
  }

  bool Forget(BoundedReader* in) {
    if (!in->at_end()) return false;
    ++read_.unloaded;
    for (const size_t number : unloaded_) classes_[number].kept = false;
    unloaded_.clear();
    return true;
  }

  bool ReadType(BoundedReader* in, std::span<const uint8_t> body) {
    RawType type;
    type.owner = in->GetText();
    type.name = in->GetText();
    type.methods = body.subspan(in->position());
    for (uint32_t left = in->GetCount(2); left > 0 && in->ok(); --left) {
      in->GetText();
      in->GetText();
    }
    if (!in->ok() || !in->at_end() || type.name.empty()) return false;
    contents_.declared.push_back(type);
    return true;
  }

  bool ReadPair(BoundedReader* in) {
    const uint32_t number = in->Get();
    const uint32_t site = in->Get();
    const std::string_view type = in->GetText();
    if (!in->ok() || !in->at_end()) return false;
    if (IsWithin(numbers_.damaged_pairs, number)) doubtful_sites_.push_back(site);
    if (number >= numbers_.pairs.size()) return true;  // no count yet
    if (number >= pairs_.size()) pairs_.resize(numbers_.pairs.size());
    pairs_[number] = {site, type, true};
    return true;
  }

  bool ReadMethod(BoundedReader* in) {
    const uint32_t number = in->Get();
    RawMethod method;
    method.type = in->GetText();
    method.name = in->GetText();
    method.descriptor = in->GetText();
    if (!in->ok() || !in->at_end() || method.type.empty()) return false;
    // Of a thread, the name may be unknown.
    if (method.name.empty() && method.type != kThreadType) return false;
    numbers_of_methods_.insert_or_assign(number, static_cast<uint32_t>(contents_.methods.size()));
    contents_.methods.push_back(method);
    return true;
  }

  bool ReadStack(BoundedReader* in) {
    const uint32_t number = in->Get();
    RawStack stack;
    stack.cut = in->GetBelow(2) == 1;
    const uint32_t frames = in->GetCount(3);
    if (!in->ok() || frames == 0) return false;
    const bool counts = number < numbers_.stacks.size() && numbers_.stacks[number] > 0;
    if (!counts) return true;
    stack.weight = numbers_.stacks[number];
    stack.frames.reserve(frames);
    for (uint32_t f = 0; f < frames && in->ok(); ++f) {
      const auto method = numbers_of_methods_.find(in->Get());
      if (method == numbers_of_methods_.end()) return false;
      RawStackFrame& frame = stack.frames.emplace_back();
      frame.method = method->second;
      frame.bci = static_cast<Bci>(in->GetBelow(kBciEnd));
      frame.line = static_cast<int32_t>(in->GetBelow(INT32_MAX)) - 1;
    }
    if (!in->ok() || !in->at_end()) return false;
    contents_.stacks.push_back(std::move(stack));
    return true;
  }

  bool ReadPart(BoundedReader* in) {
    const std::string_view name = in->GetText();
    const std::string_view json = in->GetText();
    if (!in->ok() || !in->at_end()) return false;
    contents_.parts.insert_or_assign(std::string(name), json);
    return true;
  }

  void Finish() {
    AddTypes();
    const auto kept = [](const Class& klass) { return klass.kept; };
    contents_.classes.reserve(
        static_cast<size_t>(std::count_if(classes_.begin(), classes_.end(), kept)));
    for (const Class& klass : classes_) {
      if (klass.kept) contents_.classes.push_back(klass.type);
    }
  }

  static bool IsWithin(std::span<const std::pair<uint64_t, uint64_t>> ranges, uint64_t number) {
    const auto after =
        std::upper_bound(ranges.begin(), ranges.end(), number,
                         [](uint64_t wanted, const auto& range) { return wanted < range.second; });
    return after != ranges.end() && number >= after->first;
  }

  void AddTypes() {
    uint64_t unknown = 0;  // objects of which neither the site nor the type is known
    for (size_t number = 0; number < numbers_.pairs.size(); ++number) {
      const uint64_t count = numbers_.pairs[number];
      if (count == 0) continue;
      const Pair pair = number < pairs_.size() ? pairs_[number] : Pair();
      if (!pair.known) {
        unknown += std::min(count, UINT64_MAX - unknown);
      } else if (pair.type.empty()) {
        contents_.types.AddLost(pair.site, count);
      } else {
        contents_.types.Add(pair.site, pair.type, count);
      }
    }
    for (const uint32_t site : doubtful_sites_) LeaveOut(site);
    const bool is_any_possible = !numbers_.damaged_pairs.empty() && contents_.damaged_records > 0;
    if (!is_any_possible && unknown == 0) return;
    for (const uint32_t site : contents_.types.Sites()) {
      if (is_any_possible || MayLack(*contents_.types.Find(site), unknown)) LeaveOut(site);
    }
  }

  bool MayLack(const TypeCounts::Site& site, uint64_t objects) const {
    const double lost = static_cast<double>(site.lost) + static_cast<double>(objects);
    double all = lost;
    for (const auto& type : site.types) all += static_cast<double>(type.second);
    return lost > contents_.header.assembly.max_lost * all;
  }

  void LeaveOut(uint32_t site) {
    const TypeCounts::Site* const counts = contents_.types.Find(site);
    if (counts == nullptr) return;
    contents_.doubtful_pairs += counts->types.size();
    contents_.types.Forget(site);
  }

  struct Class {
    RawClass type;
    bool kept;
  };

  const RawNumbers numbers_;
  RawContents& contents_;
  std::vector<Class> classes_;
  std::vector<size_t> unloaded_;  // in classes_, since the last reset
  std::unordered_map<uint32_t, size_t> numbers_of_classes_;
  std::unordered_map<uint32_t, uint32_t> numbers_of_methods_;
  std::vector<Pair> pairs_;
  std::vector<uint32_t> doubtful_sites_;  // whose counts are damaged
  RawLogRead read_;
};

}  // namespace

bool IsOfJvms(const ClassRecord& klass) {
  constexpr size_t kLeastDescriptor = 3;  // "()V"
  return !klass.name.empty() &&
         std::all_of(klass.methods.begin(), klass.methods.end(), [](const CountedMethod& method) {
           return !method.name.empty() && method.descriptor.size() >= kLeastDescriptor;
         });
}

RawRecord EncodeRawClass(uint32_t number, const ClassRecord& record) {
  auto body = Begin(RawRecordKind::kClass);
  Put(number, &body);
  EncodeClassRecord(record, &body);
  return Seal(body);
}

RawRecord EncodeRawUnloaded(uint32_t number, const UnloadedCounts& counts) {
  auto body = Begin(RawRecordKind::kUnloaded);
  Put(number, &body);
  Put(counts.counters.size(), &body);
  uint32_t last = 0;
  for (const auto& [counter, count] : counts.counters) {
    Put(counter - last, &body);
    Put(count, &body);
    last = counter;
  }
  Put(counts.sites.size(), &body);
  last = 0;
  for (const UnloadedCounts::Site& site : counts.sites) {
    Put(site.number - last, &body);
    last = site.number;
    Put(site.lost, &body);
    const auto seen = [](const auto& type) { return type.second > 0; };
    Put(static_cast<uint64_t>(std::count_if(site.types.begin(), site.types.end(), seen)), &body);
    for (const auto& type : site.types) {
      if (!seen(type)) continue;
      PutText(type.first, &body);
      Put(type.second, &body);
    }
  }
  return Seal(body);
}

RawRecord EncodeRawForgotten() { return Seal(Begin(RawRecordKind::kForgotten)); }

RawRecord EncodeRawType(std::string_view owner, std::string_view name,
                        std::span<const std::pair<std::string, std::string>> methods) {
  auto body = Begin(RawRecordKind::kType);
  PutText(owner, &body);
  PutText(name, &body);
  Put(methods.size(), &body);
  for (const auto& [method, descriptor] : methods) {
    PutText(method, &body);
    PutText(descriptor, &body);
  }
  return Seal(body);
}

RawRecord EncodeRawPair(uint32_t number, uint32_t site, std::string_view type) {
  auto body = Begin(RawRecordKind::kPair);
  Put(number, &body);
  Put(site, &body);
  PutText(type, &body);
  return Seal(body);
}

RawRecord EncodeRawMethod(uint32_t number, const RawMethod& method) {
  auto body = Begin(RawRecordKind::kMethod);
  Put(number, &body);
  PutText(method.type, &body);
  PutText(method.name, &body);
  PutText(method.descriptor, &body);
  return Seal(body);
}

RawRecord EncodeRawStack(uint32_t number, std::span<const RawStackFrame> frames, bool cut) {
  auto body = Begin(RawRecordKind::kStack);
  Put(number, &body);
  Put(cut ? 1 : 0, &body);
  Put(frames.size(), &body);
  for (const RawStackFrame& frame : frames) {
    Put(frame.method, &body);
    Put(static_cast<uint32_t>(std::max(frame.bci, 0)), &body);
    Put(static_cast<uint32_t>(std::max(frame.line, -1) + 1), &body);
  }
  return Seal(body);
}

RawRecord EncodeRawPart(const RawPart& part) {
  auto body = Begin(RawRecordKind::kPart);
  PutText(part.name, &body);
  PutText(part.json, &body);
  return Seal(body);
}

RawRecord EncodeRawFirst(std::span<const uint32_t> counters) {
  auto body = Begin(RawRecordKind::kFirst);
  Put(counters.size(), &body);
  uint32_t last = 0;
  for (const uint32_t counter : counters) {
    Put(counter - last, &body);
    last = counter;
  }
  return Seal(body);
}

RawRecord EncodeRawTail(const RawTail& tail) {
  std::vector<uint8_t> body{kRawRecordVersion};
  Put(tail.parts.size(), &body);
  for (const RawPart& part : tail.parts) {
    PutText(part.name, &body);
    PutText(part.json, &body);
  }
  Put(tail.live_frames.size(), &body);
  for (const auto& [method, frames] : tail.live_frames) {
    PutText(method, &body);
    Put(frames, &body);
  }
  Put(tail.estimated.calls.size(), &body);
  for (const auto& [method, estimate] : tail.estimated.calls) {
    PutText(method, &body);
    Put(estimate.calls, &body);
    Put(estimate.executions, &body);
  }
  Put(tail.estimated.unnamed, &body);
  return Seal(body);
}

RawLogRead ReadRawRecords(std::span<const uint8_t> log, const RawNumbers& numbers,
                          RawContents* contents) {
  return LogReading(numbers, contents).Read(log);
}

std::span<const RawTypeMethods::Method> RawTypeMethods::Next() {
  methods_.clear();
  for (; left_ > 0 && methods_.size() < kAtOnce && in_.ok(); --left_) {
    const std::string_view name = in_.GetText();
    methods_.emplace_back(name, in_.GetText());
  }
  return methods_;
}

bool ReadRawTail(std::span<const uint8_t> tail, RawContents* contents) {
  const Sealed sealed = OpenSealed(tail, kRawRecordVersion);
  if (sealed.status == SealStatus::kEnd) return true;
  if (sealed.status != SealStatus::kRecord) return false;
  BoundedReader in(sealed.body);
  std::map<std::string, std::string> parts;
  for (uint32_t left = in.GetCount(2); left > 0 && in.ok(); --left) {
    const std::string_view name = in.GetText();
    parts.insert_or_assign(std::string(name), std::string(in.GetText()));
  }
  std::map<std::string, uint64_t> frames;
  for (uint32_t left = in.GetCount(2); left > 0 && in.ok(); --left) {
    const std::string_view method = in.GetText();
    frames[std::string(method)] += in.Get64();
  }
  EstimatedMethods estimated;
  for (uint32_t left = in.GetCount(3); left > 0 && in.ok(); --left) {
    const std::string_view method = in.GetText();
    const uint64_t calls = in.Get64();
    estimated.calls[std::string(method)].Add({calls, in.Get64()});
  }
  estimated.unnamed = in.Get();
  if (!in.ok() || !in.at_end()) return false;
  parts.merge(contents->parts);  // adds those that are not in the tail
  contents->parts = std::move(parts);
  contents->live_frames = std::move(frames);
  contents->estimated = std::move(estimated);
  return true;
}

}  // namespace iprof
