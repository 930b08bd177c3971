#include "agent/harvest/handle_reader.h"

#include <algorithm>

#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {
namespace {

constexpr uint64_t kHeaderBytes = 12;  // of an object whose class is a compressed pointer
constexpr uint64_t kLengthAt = 12;     // of an array
constexpr uint64_t kItemsAt = 16;
constexpr int32_t kLargestObject = 1024;  // call sites and handles are small
constexpr uint16_t kAccStatic = 0x0008;
constexpr uint16_t kAccPrivate = 0x0002;

}  // namespace

References ReferencesOf(const VmFlags& flags) {
  const auto is_set = [&](const char* name) { return flags.Bool(name).value_or(false); };
  // Other collectors' references are no plain addresses, or their objects are elsewhere by now.
  const bool is_plain = is_set("UseSerialGC") || is_set("UseParallelGC") || is_set("UseG1GC");
  if (!is_plain || !is_set("UseCompressedClassPointers") || is_set("UseCompactObjectHeaders"))
    return References::kUnknown;
  return is_set("UseCompressedOops") ? References::kNarrow : References::kWide;
}

HandleReader::HandleReader(const Metadata& metadata, References references,
                           const NumberMap<uint32_t>& class_numbers,
                           const HarvestedProgram& program, const std::vector<ListedMethod>& listed)
    : memory_(metadata.memory()),
      layout_(metadata.layout()),
      class_numbers_(class_numbers),
      program_(program),
      is_known_(layout_.heap.has_value() && references != References::kUnknown),
      is_narrow_(references == References::kNarrow) {
  if (!is_known_) return;
  methods_.Reserve(listed.size());
  for (uint32_t m = 0; m < listed.size(); ++m) *methods_.TryAdd(listed[m].at).first = m;
  for (uint32_t c = 0; c < program.classes.size(); ++c) kinds_.push_back(KindOf(c));
}

HandleReader::Kind HandleReader::KindOf(uint32_t klass) const {
  const std::string_view own = program_.classes[klass].name;
  if (own == "[I") return Kind::kInts;
  if (own == "java/lang/Class") return Kind::kMirror;
  if (own == "java/lang/invoke/LambdaForm") return Kind::kForm;
  if (own == "java/lang/invoke/MemberName") return Kind::kMember;
  if (own == "java/lang/invoke/ResolvedMethodName") return Kind::kResolved;
  for (int depth = 0; klass < program_.classes.size() && depth < kDeepest; ++depth) {
    const std::string_view name = program_.classes[klass].name;
    if (name == "java/lang/invoke/DirectMethodHandle") return Kind::kDirect;
    if (name == "java/lang/invoke/MethodHandle") return Kind::kHandle;
    if (name == "java/lang/invoke/CallSite") return Kind::kSite;
    klass = program_.classes[klass].super;
  }
  return Kind::kOther;
}

HandleReader::Object HandleReader::ObjectAt(Address at) const {
  if (at == 0 || at % 8 != 0) return {};
  const auto narrow = memory_.Load<uint32_t>(at + layout_.heap->klass);
  if (!narrow || *narrow == 0) return {};
  const Address klass = layout_.heap->klass_base + (uint64_t{*narrow} << layout_.heap->klass_shift);
  const uint32_t* const number = class_numbers_.Find(klass);
  if (number == nullptr) return {};
  return {at, *number, kinds_[*number]};
}

std::vector<HandleReader::Object> HandleReader::PartsOf(const Object& object) const {
  const auto narrow = memory_.Load<uint32_t>(object.at + layout_.heap->klass).value_or(0);
  const Address klass = layout_.heap->klass_base + (uint64_t{narrow} << layout_.heap->klass_shift);
  const int32_t size = memory_.Load<int32_t>(klass + layout_.klass.layout_helper).value_or(0);
  std::vector<Object> found;
  if (size <= static_cast<int32_t>(kHeaderBytes) || size > kLargestObject) return found;
  const auto end = static_cast<uint64_t>(size) & ~uint64_t{7};
  const uint64_t step = is_narrow_ ? 4 : 8;
  for (uint64_t offset = is_narrow_ ? kHeaderBytes : kItemsAt; offset < end; offset += step) {
    Address at = 0;
    if (is_narrow_) {
      const auto value = memory_.Load<uint32_t>(object.at + offset).value_or(0);
      if (value != 0) at = layout_.heap->base + (uint64_t{value} << layout_.heap->shift);
    } else {
      at = memory_.Load<Address>(object.at + offset).value_or(0);
    }
    const Object referenced = ObjectAt(at);
    if (referenced.klass == kNoClass) continue;
    found.push_back(referenced);
    // Behind a handle's form is a cache: the same handle, converted to another type.
    if (referenced.kind == Kind::kForm) offset += step;
  }
  return found;
}

Address HandleReader::SiteAt(const Pool& pool, uint32_t operand) const {
  const auto& cache = layout_.cache;
  uint64_t index = 0;
  if (cache.dynamic.size != 0) {
    // ResolvedIndyEntry has it directly before the index of its constant.
    const Address array = memory_.Load<Address>(pool.cache + cache.dynamic.at).value_or(0);
    const int32_t length = memory_.Load<int32_t>(array + layout_.array.length).value_or(0);
    if (array == 0 || operand >= static_cast<uint32_t>(std::max(length, 0))) return 0;
    const Address entry = array + cache.dynamic.data + operand * cache.dynamic.size;
    index = memory_.Load<uint16_t>(entry + cache.dynamic.index - 2).value_or(0);
  } else {
    // The third of the four words of a ConstantPoolCacheEntry.
    const int32_t length = memory_.Load<int32_t>(pool.cache + cache.length).value_or(0);
    if (operand >= static_cast<uint32_t>(std::max(length, 0))) return 0;
    const Address entry = pool.cache + cache.size + operand * cache.entry_size;
    index = memory_.Load<uint64_t>(entry + cache.entry_index + 16).value_or(0);
  }
  const Address handle = memory_.Load<Address>(pool.cache + layout_.heap->references).value_or(0);
  const Address array = handle == 0 ? 0 : memory_.Load<Address>(handle).value_or(0);
  if (array == 0 || ObjectAt(array).klass == kNoClass) return 0;
  const int32_t length = memory_.Load<int32_t>(array + kLengthAt).value_or(0);
  if (index >= static_cast<uint64_t>(std::max(length, 0))) return 0;
  if (!is_narrow_) return memory_.Load<Address>(array + kItemsAt + index * 8).value_or(0);
  const auto value = memory_.Load<uint32_t>(array + kItemsAt + index * 4).value_or(0);
  return value == 0 ? 0 : layout_.heap->base + (uint64_t{value} << layout_.heap->shift);
}

std::vector<HandleTarget> HandleReader::TargetsOf(const Pool& pool, uint32_t operand) {
  found_.clear();
  met_.clear();
  if (!is_known_ || pool.cache == 0) return {};
  const Object site = ObjectAt(SiteAt(pool, EntryOfDynamic(operand)));
  looked_at_ = 0;
  if (site.kind == Kind::kSite) {
    // The target is the first of its fields, also if a language adds others in subclasses.
    for (const Object& part : PartsOf(site)) {
      if (part.kind != Kind::kHandle && part.kind != Kind::kDirect) continue;
      Walk(part, 1);
      break;
    }
  } else if (site.kind == Kind::kHandle || site.kind == Kind::kDirect) {
    Walk(site, 1);
  }
  return std::move(found_);
}

std::vector<uint32_t> HandleReader::ClassesAt(const Pool& pool, uint32_t operand,
                                              const std::vector<uint32_t>& classes) {
  for (const HandleTarget& target : TargetsOf(pool, operand))
    met_.push_back(program_.methods[target.method].klass);
  std::sort(met_.begin(), met_.end());
  std::vector<uint32_t> led_to;
  for (const uint32_t klass : classes) {
    if (std::binary_search(met_.begin(), met_.end(), klass)) led_to.push_back(klass);
  }
  return led_to;
}

void HandleReader::Walk(const Object& handle, double share) {
  if (share <= 0 || ++looked_at_ > kMostObjects || path_.size() >= kDeepest) return;
  if (std::find(path_.begin(), path_.end(), handle.at) != path_.end()) return;
  if (handle.kind == Kind::kDirect) {
    AddTarget(handle, share);
    return;
  }
  const std::vector<Object> parts = PartsOf(handle);
  const std::vector<double> shares = SharesOf(parts);
  const size_t bound = bound_.size();
  path_.push_back(handle.at);
  for (const Object& part : parts) {
    if (part.kind != Kind::kOther) continue;
    bound_.push_back(part.klass);
    met_.push_back(part.klass);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == Kind::kHandle || parts[i].kind == Kind::kDirect)
      Walk(parts[i], share * shares[i]);
  }
  bound_.resize(bound);
  path_.pop_back();
}

// A guard has a test, a target, a fallback, and how often the test was false and true. What catches
// exceptions has a handler behind their class.
std::vector<double> HandleReader::SharesOf(const std::vector<Object>& parts) const {
  std::vector<double> shares(parts.size(), 1);
  std::vector<size_t> handles;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == Kind::kHandle || parts[i].kind == Kind::kDirect) {
      if (i > 0 && parts[i - 1].kind == Kind::kMirror && !handles.empty()) shares[i] = 0;
      handles.push_back(i);
    }
    if (parts[i].kind != Kind::kInts || handles.size() < 3) continue;
    const auto length = memory_.Load<int32_t>(parts[i].at + kLengthAt);
    const auto no = memory_.Load<int32_t>(parts[i].at + kItemsAt);
    const auto yes = memory_.Load<int32_t>(parts[i].at + kItemsAt + 4);
    if (length != 2 || !no || !yes || *no < 0 || *yes < 0) continue;
    const double all = double{1} * *no + *yes;
    const double passed = all > 0 ? *yes / all : 0.5;
    shares[handles[handles.size() - 2]] = passed;
    shares[handles.back()] = 1 - passed;
  }
  return shares;
}

void HandleReader::AddTarget(const Object& handle, double share) {
  for (const Object& member : PartsOf(handle)) {
    if (member.kind != Kind::kMember) continue;
    for (const Object& resolved : PartsOf(member)) {
      if (resolved.kind != Kind::kResolved) continue;
      const uint32_t number = MethodOf(resolved);
      if (number == UINT32_MAX) continue;
      const HarvestedMethod& method = program_.methods[number];
      HandleTarget target{
          .method = number, .receiver = kNoClass, .is_virtual = false, .share = share};
      target.is_virtual =
          (method.access & (kAccStatic | kAccPrivate)) == 0 && method.name != "<init>" &&
          program_.classes[handle.klass].name != "java/lang/invoke/DirectMethodHandle$Special";
      for (const uint32_t klass : bound_) {
        if (target.is_virtual && IsSubtype(klass, method.klass)) target.receiver = klass;
      }
      found_.push_back(target);
      return;
    }
  }
}

uint32_t HandleReader::MethodOf(const Object& resolved) const {
  constexpr uint64_t kMostWords = 4;
  for (uint64_t word = 0; word < kMostWords; ++word) {
    const Address at = memory_.Load<Address>(resolved.at + kItemsAt + word * 8).value_or(0);
    if (const uint32_t* method = methods_.Find(at)) return *method;
  }
  return UINT32_MAX;
}

bool HandleReader::IsSubtype(uint32_t klass, uint32_t of) const {
  std::vector<uint32_t> open{klass};
  for (size_t at = 0; at < open.size(); ++at) {
    if (open[at] == of) return true;
    if (open[at] >= program_.classes.size()) continue;
    const HarvestedClass& own = program_.classes[open[at]];
    const auto add = [&](uint32_t above) {
      if (std::find(open.begin(), open.end(), above) == open.end()) open.push_back(above);
    };
    add(own.super);
    for (const uint32_t interface : own.interfaces) add(interface);
  }
  return false;
}

}  // namespace iprof::hotspot
