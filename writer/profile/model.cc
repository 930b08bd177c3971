#include "writer/profile/model.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <unordered_map>

#include "writer/base/arena.h"
#include "writer/base/chunked_vector.h"
#include "writer/base/hash.h"
#include "writer/base/hash_index.h"
#include "writer/base/string_pool.h"
#include "writer/base/utf8.h"
#include "writer/profile/code_hashes.h"
#include "writer/profile/record_table.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

constexpr uint32_t kNone = HashIndex::kNone;

template <typename Index>
uint32_t Raw(Index index) {
  return static_cast<uint32_t>(index);
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<signed char>(c) >= 0; });
}

void AppendNumber(int64_t value, std::string* out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  out->append(digits, end);
}

// The table of single counts: calls and samples.
class CountTable {
 public:
  explicit CountTable(uint64_t seed) : seed_(seed) {}
  size_t size() const { return entries_.size(); }
  ContextIndex Context(uint32_t entry) const { return entries_[entry].context; }
  int64_t Count(uint32_t entry) const { return entries_[entry].count; }
  uint32_t Find(ContextIndex context) const {
    return by_context_.Find(Hash(context),
                            [&](uint32_t i) { return entries_[i].context == context; });
  }
  uint32_t Add(ContextIndex context, int64_t count) {
    uint32_t at = Find(context);
    if (at == kNone) {
      at = static_cast<uint32_t>(entries_.size());
      entries_.push_back({context, count});
      by_context_.Insert(Hash(context), at);
    } else {
      entries_[at].count = SaturatingAdd(entries_[at].count, count);
    }
    return at;
  }
  size_t MemoryBytes() const { return entries_.MemoryBytes() + by_context_.MemoryBytes(); }

 private:
  struct Entry {
    ContextIndex context;
    int64_t count;
  };
  uint64_t Hash(ContextIndex context) const { return MixHash(Raw(context), seed_); }

  uint64_t seed_;
  ChunkedVector<Entry> entries_;
  HashIndex by_context_;
};

}  // namespace

std::string_view TableKey(Table table) {
  switch (table) {
    case Table::kCalls:
      return "callCountProfiles";
    case Table::kConditionals:
      return "conditionalProfiles";
    case Table::kVirtualInvokes:
      return "virtualInvokeProfiles";
    case Table::kMonitors:
      return "monitorProfiles";
    case Table::kSamples:
      return "samplingProfiles";
    case Table::kInstanceOfs:
      return "instanceOfProfiles";
  }
  return "";
}

RecordKind RecordKindOf(Table table) {
  switch (table) {
    case Table::kCalls:
    case Table::kSamples:
      return RecordKind::kCount;
    case Table::kConditionals:
      return RecordKind::kSuccessors;
    case Table::kVirtualInvokes:
    case Table::kMonitors:
    case Table::kInstanceOfs:
      return RecordKind::kTypeCounts;
  }
  return RecordKind::kTypeCounts;
}

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
}

struct Profile::Rep {
  struct TypeRow {
    uint32_t name;
    int64_t file_id;
  };
  struct MethodRow {
    const TypeIndex* signature;
    uint32_t signature_size;
    uint32_t name;
    int64_t file_id;
  };
  struct ContextRow {
    ContextIndex caller;
    MethodIndex method;
    Bci bci;
  };

  explicit Rep(uint64_t hash_seed) : seed(hash_seed) {}

  uint64_t MethodHash(uint32_t name, std::span<const TypeIndex> signature) const {
    uint64_t hash = MixHash(name, seed);
    for (const TypeIndex type : signature) hash = MixHash(hash ^ Raw(type), seed);
    return hash;
  }
  uint64_t ContextHash(ContextIndex caller, MethodIndex method, Bci bci) const {
    const uint64_t site = (uint64_t{Raw(method)} << 32) | static_cast<uint32_t>(bci);
    return MixHash(site, seed + Raw(caller));
  }
  uint32_t FindMethodRow(uint64_t hash, uint32_t name, std::span<const TypeIndex> signature) const {
    return method_index.Find(hash, [&](uint32_t i) {
      const MethodRow& row = methods[i];
      return row.name == name && row.signature_size == signature.size() &&
             std::equal(signature.begin(), signature.end(), row.signature);
    });
  }
  uint32_t FindContextRow(uint64_t hash, ContextIndex caller, MethodIndex method, Bci bci) const {
    return context_index.Find(hash, [&](uint32_t i) {
      const ContextRow& row = contexts[i];
      return row.caller == caller && row.method == method && row.bci == bci;
    });
  }
  uint32_t InternName(std::string_view name) {
    return IsAscii(name) ? strings.Intern(name) : strings.Intern(NormalizeUtf8(name));
  }
  uint32_t FindName(std::string_view name) const {
    return IsAscii(name) ? strings.Find(name) : strings.Find(NormalizeUtf8(name));
  }
  CountTable& Counts(Table table) { return table == Table::kCalls ? calls : samples; }
  RecordTable<TypeCount>& Types(Table table) {
    assert(RecordKindOf(table) == RecordKind::kTypeCounts);
    switch (table) {
      case Table::kVirtualInvokes:
        return virtual_invokes;
      case Table::kMonitors:
        return monitors;
      case Table::kInstanceOfs:
      case Table::kCalls:
      case Table::kConditionals:
      case Table::kSamples:
        break;  // the others have no types
    }
    return instance_ofs;
  }

  uint64_t seed;
  std::string version = "1.0.0";
  StringPool strings{seed};
  ChunkedVector<TypeRow> types;
  ChunkedVector<uint32_t> type_of_string;  // by string id: the type of that name, or kNone
  int64_t next_type_id = 0;
  ChunkedVector<MethodRow> methods;
  Arena<TypeIndex> signatures;
  HashIndex method_index;
  int64_t next_method_id = 0;
  CodeHashes code_hashes;
  std::vector<Sureness> sureness;      // by method; may be shorter
  std::vector<FirstCall> first_calls;  // the same
  PositionNotes notes;
  ChunkedVector<ContextRow> contexts;
  HashIndex context_index;
  CountTable calls{seed};
  CountTable samples{seed};
  RecordTable<Successor> conditionals{seed};
  RecordTable<TypeCount> virtual_invokes{seed};
  RecordTable<TypeCount> monitors{seed};
  RecordTable<TypeCount> instance_ofs{seed};
  std::vector<ExtraKey> extras;
  std::unordered_map<std::string, size_t> extra_of_key;
};

Profile::Profile() : rep_(std::make_unique<Rep>(ProcessHashSeed())) {}
Profile::~Profile() = default;
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;

const std::string& Profile::version() const { return rep_->version; }
void Profile::set_version(std::string version) { rep_->version = std::move(version); }

void Profile::AddStandardTypes() {
  assert(type_count() == 0);
  for (const char* name : {"boolean", "byte", "short", "char", "int", "float", "long", "double",
                           "void", "java.lang.Object"}) {
    AddType(name);
  }
}

TypeIndex Profile::AddType(std::string_view name) {
  return AddTypeWithId(name, rep_->next_type_id);
}

TypeIndex Profile::AddTypeWithId(std::string_view name, int64_t file_id) {
  assert(file_id >= 0);
  const uint32_t string = rep_->InternName(name);
  while (rep_->type_of_string.size() <= string) rep_->type_of_string.push_back(kNone);
  uint32_t& type = rep_->type_of_string[string];
  if (type == kNone) {
    type = static_cast<uint32_t>(rep_->types.size());
    rep_->types.push_back({string, file_id});
    rep_->next_type_id = std::max(rep_->next_type_id, file_id + 1);
  }
  return TypeIndex{type};
}

std::optional<TypeIndex> Profile::FindType(std::string_view name) const {
  const uint32_t string = rep_->FindName(name);
  if (string >= rep_->type_of_string.size()) return {};
  const uint32_t type = rep_->type_of_string[string];
  if (type == kNone) return {};
  return TypeIndex{type};
}

size_t Profile::type_count() const { return rep_->types.size(); }
std::string_view Profile::TypeName(TypeIndex type) const {
  return rep_->strings.View(rep_->types[Raw(type)].name);
}
int64_t Profile::TypeFileId(TypeIndex type) const { return rep_->types[Raw(type)].file_id; }

MethodIndex Profile::AddMethod(std::string_view name, std::span<const TypeIndex> signature) {
  return AddMethodWithId(name, signature, rep_->next_method_id);
}

MethodIndex Profile::AddMethodWithId(std::string_view name, std::span<const TypeIndex> signature,
                                     int64_t file_id) {
  assert(!signature.empty() && file_id >= 0);
  const uint32_t string = rep_->InternName(name);
  const uint64_t hash = rep_->MethodHash(string, signature);
  const uint32_t found = rep_->FindMethodRow(hash, string, signature);
  if (found != kNone) return MethodIndex{found};
  const uint32_t at = static_cast<uint32_t>(rep_->methods.size());
  TypeIndex* copy = rep_->signatures.Allocate(signature.size());
  std::copy(signature.begin(), signature.end(), copy);
  rep_->methods.push_back({copy, static_cast<uint32_t>(signature.size()), string, file_id});
  rep_->method_index.Insert(hash, at);
  rep_->next_method_id = std::max(rep_->next_method_id, file_id + 1);
  return MethodIndex{at};
}

std::optional<MethodIndex> Profile::FindMethod(std::string_view name,
                                               std::span<const TypeIndex> signature) const {
  const uint32_t string = rep_->FindName(name);
  if (string == kNone) return {};
  const uint32_t found =
      rep_->FindMethodRow(rep_->MethodHash(string, signature), string, signature);
  if (found == kNone) return {};
  return MethodIndex{found};
}

size_t Profile::method_count() const { return rep_->methods.size(); }
std::string_view Profile::MethodName(MethodIndex method) const {
  return rep_->strings.View(rep_->methods[Raw(method)].name);
}
std::span<const TypeIndex> Profile::Signature(MethodIndex method) const {
  const Rep::MethodRow& row = rep_->methods[Raw(method)];
  return {row.signature, row.signature_size};
}
TypeIndex Profile::DeclaringType(MethodIndex method) const { return Signature(method)[0]; }
int64_t Profile::MethodFileId(MethodIndex method) const {
  return rep_->methods[Raw(method)].file_id;
}

void Profile::SetCodeHash(MethodIndex method, uint64_t hash) {
  rep_->code_hashes.Set(method, hash);
}
uint64_t Profile::CodeHash(MethodIndex method) const { return rep_->code_hashes.Of(method); }
bool Profile::has_code_hashes() const { return !rep_->code_hashes.empty(); }
void Profile::ForgetCodeHashes() { rep_->code_hashes.Clear(); }
void Profile::AddSureness(MethodIndex method, Sureness sureness) {
  if (!sureness.is_present()) return;
  const size_t at = Raw(method);
  if (at >= rep_->sureness.size()) rep_->sureness.resize(at + 1);
  rep_->sureness[at] = Sureness::LeastOf(rep_->sureness[at], sureness);
}
Sureness Profile::SurenessOf(MethodIndex method) const {
  const size_t at = Raw(method);
  return at < rep_->sureness.size() ? rep_->sureness[at] : Sureness();
}
void Profile::ForgetSureness() { rep_->sureness.clear(); }
bool Profile::has_sureness() const { return !rep_->sureness.empty(); }
void Profile::AddFirstCall(MethodIndex method, FirstCall first) {
  if (!first.is_known()) return;
  const size_t at = Raw(method);
  if (at >= rep_->first_calls.size()) rep_->first_calls.resize(at + 1);
  FirstCall& sum = rep_->first_calls[at];
  sum = {SaturatingAdd(sum.ranks, first.ranks), SaturatingAdd(sum.runs, first.runs)};
}
FirstCall Profile::FirstCallOf(MethodIndex method) const {
  const size_t at = Raw(method);
  return at < rep_->first_calls.size() ? rep_->first_calls[at] : FirstCall();
}
bool Profile::has_first_calls() const { return !rep_->first_calls.empty(); }
void Profile::ForgetFirstCalls() { rep_->first_calls.clear(); }
PositionNotes& Profile::notes() { return rep_->notes; }
const PositionNotes& Profile::notes() const { return rep_->notes; }

std::string Profile::DescribeMethod(MethodIndex method) const {
  if (method == kNoMethod) return "(none)";
  const auto signature = Signature(method);
  std::string text(TypeName(signature[0]));
  if (text == kThreadType) return "[" + std::string(MethodName(method)) + "]";
  if (text == kClassType) return std::string(MethodName(method));
  text.append(".").append(MethodName(method)).append("(");
  for (size_t i = 2; i < signature.size() && text.size() <= kMostDescribedBytes; ++i) {
    if (i > 2) text.append(", ");
    text.append(TypeName(signature[i]));
  }
  text.append(")");
  if (signature.size() > 1) text.append(TypeName(signature[1]));
  if (text.size() > kMostDescribedBytes) {
    size_t end = kMostDescribedBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text.resize(end);
    text.append("...");
    text.shrink_to_fit();
  }
  return text;
}

ContextIndex Profile::AddContext(ContextIndex caller, MethodIndex method, Bci bci) {
  assert(caller == kNoContext || Raw(caller) < context_count());
  const uint64_t hash = rep_->ContextHash(caller, method, bci);
  const uint32_t found = rep_->FindContextRow(hash, caller, method, bci);
  if (found != kNone) return ContextIndex{found};
  const uint32_t at = static_cast<uint32_t>(rep_->contexts.size());
  rep_->contexts.push_back({caller, method, bci});
  rep_->context_index.Insert(hash, at);
  return ContextIndex{at};
}

ContextIndex Profile::AddContext(std::span<const Frame> frames) {
  assert(!frames.empty());
  ContextIndex context = kNoContext;
  for (size_t i = frames.size(); i-- > 0;)
    context = AddContext(context, frames[i].method, frames[i].bci);
  return context;
}

std::optional<ContextIndex> Profile::FindContext(ContextIndex caller, MethodIndex method,
                                                 Bci bci) const {
  const uint32_t found =
      rep_->FindContextRow(rep_->ContextHash(caller, method, bci), caller, method, bci);
  if (found == kNone) return {};
  return ContextIndex{found};
}

std::optional<ContextIndex> Profile::FindContext(std::span<const Frame> frames) const {
  if (frames.empty()) return {};
  ContextIndex context = kNoContext;
  for (size_t i = frames.size(); i-- > 0;) {
    const auto found = FindContext(context, frames[i].method, frames[i].bci);
    if (!found) return {};
    context = *found;
  }
  return context;
}

ContextIndex Profile::AddMonitorContext() { return AddContext(kNoContext, kNoMethod, 0); }

size_t Profile::context_count() const { return rep_->contexts.size(); }
Frame Profile::InnermostFrame(ContextIndex context) const {
  const Rep::ContextRow& row = rep_->contexts[Raw(context)];
  return {row.method, row.bci};
}
ContextIndex Profile::Caller(ContextIndex context) const {
  return rep_->contexts[Raw(context)].caller;
}

size_t Profile::Depth(ContextIndex context) const {
  size_t depth = 0;
  ForEachFrame(context, [&](Frame) { ++depth; });
  return depth;
}

std::vector<Frame> Profile::Frames(ContextIndex context) const {
  std::vector<Frame> frames;
  ForEachFrame(context, [&](Frame frame) { frames.push_back(frame); });
  return frames;
}

std::string Profile::FormatContext(ContextIndex context) const {
  std::string text;
  ForEachFrame(context, [&](Frame frame) {
    if (!text.empty()) text.push_back('<');
    AppendNumber(frame.method == kNoMethod ? 0 : MethodFileId(frame.method), &text);
    text.push_back(':');
    AppendNumber(frame.bci, &text);
  });
  return text;
}

EntryIndex Profile::AddCount(Table table, ContextIndex context, int64_t count) {
  assert(RecordKindOf(table) == RecordKind::kCount);
  return EntryIndex{rep_->Counts(table).Add(context, count)};
}
EntryIndex Profile::AddSuccessors(ContextIndex context, std::span<const Successor> successors) {
  return EntryIndex{rep_->conditionals.Add(context, successors)};
}
bool Profile::TryAddSuccessors(ContextIndex context, std::span<const Successor> successors) {
  return rep_->conditionals.TryAdd(context, successors).is_added;
}
EntryIndex Profile::AddTypeCounts(Table table, ContextIndex context,
                                  std::span<const TypeCount> counts) {
  return EntryIndex{rep_->Types(table).Add(context, counts)};
}

size_t Profile::entry_count(Table table) const {
  switch (RecordKindOf(table)) {
    case RecordKind::kCount:
      return rep_->Counts(table).size();
    case RecordKind::kSuccessors:
      return rep_->conditionals.size();
    case RecordKind::kTypeCounts:
      return rep_->Types(table).size();
  }
  return 0;
}

std::optional<EntryIndex> Profile::FindEntry(Table table, ContextIndex context) const {
  uint32_t found = kNone;
  switch (RecordKindOf(table)) {
    case RecordKind::kCount:
      found = rep_->Counts(table).Find(context);
      break;
    case RecordKind::kSuccessors:
      found = rep_->conditionals.Find(context);
      break;
    case RecordKind::kTypeCounts:
      found = rep_->Types(table).Find(context);
      break;
  }
  if (found == kNone) return {};
  return EntryIndex{found};
}

ContextIndex Profile::EntryContext(Table table, EntryIndex entry) const {
  switch (RecordKindOf(table)) {
    case RecordKind::kCount:
      return rep_->Counts(table).Context(Raw(entry));
    case RecordKind::kSuccessors:
      return rep_->conditionals.Context(Raw(entry));
    case RecordKind::kTypeCounts:
      return rep_->Types(table).Context(Raw(entry));
  }
  return kNoContext;
}

int64_t Profile::EntryCount(Table table, EntryIndex entry) const {
  assert(RecordKindOf(table) == RecordKind::kCount);
  return rep_->Counts(table).Count(Raw(entry));
}
std::span<const Successor> Profile::EntrySuccessors(EntryIndex entry) const {
  return rep_->conditionals.Items(Raw(entry));
}
std::span<const TypeCount> Profile::EntryTypeCounts(Table table, EntryIndex entry) const {
  return rep_->Types(table).Items(Raw(entry));
}

int64_t Profile::EntryTotal(Table table, EntryIndex entry) const {
  const RecordKind kind = RecordKindOf(table);
  if (kind == RecordKind::kCount) return EntryCount(table, entry);
  int64_t total = 0;
  const auto add = [&](const auto& items) {
    for (const auto& item : items) total = SaturatingAdd(total, item.count);
  };
  kind == RecordKind::kSuccessors ? add(EntrySuccessors(entry))
                                  : add(EntryTypeCounts(table, entry));
  return total;
}

int64_t Profile::Total(Table table) const {
  int64_t total = 0;
  for (const EntryIndex entry : EntriesOf(*this, table)) {
    total = SaturatingAdd(total, EntryTotal(table, entry));
  }
  return total;
}

void Profile::SetExtra(std::string_view key, std::string_view json) {
  const auto [found, is_new] =
      rep_->extra_of_key.try_emplace(std::string(key), rep_->extras.size());
  if (is_new) {
    rep_->extras.push_back({std::string(key), std::string(json)});
  } else {
    rep_->extras[found->second].json = json;
  }
}
void Profile::RemoveExtras() {
  rep_->extras.clear();
  rep_->extra_of_key.clear();
}

std::span<const ExtraKey> Profile::extras() const { return rep_->extras; }

size_t Profile::MemoryBytes() const {
  const Rep& rep = *rep_;
  size_t bytes = sizeof(Rep) + rep.strings.MemoryBytes() + rep.types.MemoryBytes() +
                 rep.type_of_string.MemoryBytes() + rep.methods.MemoryBytes() +
                 rep.signatures.MemoryBytes() + rep.method_index.MemoryBytes() +
                 rep.contexts.MemoryBytes() + rep.context_index.MemoryBytes() +
                 rep.calls.MemoryBytes() + rep.samples.MemoryBytes() +
                 rep.conditionals.MemoryBytes() + rep.virtual_invokes.MemoryBytes() +
                 rep.monitors.MemoryBytes() + rep.instance_ofs.MemoryBytes() +
                 rep.code_hashes.MemoryBytes() + rep.sureness.capacity() * sizeof(Sureness) +
                 rep.first_calls.capacity() * sizeof(FirstCall) + rep.notes.MemoryBytes();
  for (const ExtraKey& extra : rep.extras)
    bytes += sizeof(extra) + 2 * extra.key.capacity() + extra.json.capacity() + 64;
  return bytes;
}

}  // namespace iprof
