#include "agent/hotspot/metadata.h"

#include <algorithm>

#include "agent/classfile/names.h"

namespace iprof::hotspot {
namespace {

// Far more than exist; they bound the loops if the memory is damaged.
constexpr uint32_t kMostMembers = 65'535;
constexpr uint32_t kMostInterfaces = 65'535;

constexpr uint8_t kTagUtf8 = 1;
constexpr uint8_t kTagClass = 7;
constexpr uint8_t kTagField = 9;
constexpr uint8_t kTagInterfaceMethod = 11;
constexpr uint8_t kTagNameAndType = 12;
constexpr uint8_t kTagDynamic = 17;
constexpr uint8_t kTagInvokeDynamic = 18;
constexpr uint8_t kTagUnresolvedClass = 100;
constexpr uint8_t kTagUnresolvedClassInError = 103;

uint16_t High(uint64_t slot) { return static_cast<uint16_t>(slot >> 16); }
uint16_t Low(uint64_t slot) { return static_cast<uint16_t>(slot); }

}  // namespace

std::optional<std::string_view> Metadata::Symbol(Address symbol) {
  const Text* const text = TextOf(symbol);
  if (text == nullptr) return std::nullopt;
  return text->text();
}

Metadata::Text* Metadata::TextOf(Address symbol) {
  if (symbol == 0) return nullptr;
  if (Text* const known = symbols_.Find(symbol)) return known;
  const auto length = memory_.Load<uint16_t>(symbol + layout_.symbol.length);
  if (!length || !memory_.Read(symbol + layout_.symbol.body, texts_.Reserve(*length), *length))
    return nullptr;
  Text* const text = symbols_.TryAdd(symbol).first;
  text->bytes = texts_.Take(*length).data();
  text->length = *length;
  return text;
}

// A few texts are those of most methods, so each is looked at once.
template <typename IsLegal>
std::optional<std::string_view> Metadata::LegalText(Address symbol, Legality Text::*legality,
                                                    IsLegal is_legal) {
  Text* const text = TextOf(symbol);
  if (text == nullptr) return std::nullopt;
  Legality& known = text->*legality;
  if (known == Legality::kUnknown)
    known = is_legal(text->text()) ? Legality::kLegal : Legality::kIllegal;
  if (known == Legality::kIllegal) return std::nullopt;
  return text->text();
}

std::optional<std::string_view> Metadata::MethodName(Address symbol) {
  return LegalText(symbol, &Text::as_name, classfile::IsMethodName);
}

std::optional<std::string_view> Metadata::MethodDescriptor(Address symbol) {
  return LegalText(symbol, &Text::as_descriptor, classfile::IsMethodDescriptor);
}

std::optional<ListedClass> Metadata::ReadClass(Address at, Address loader) {
  ListedClass klass;
  klass.at = at;
  klass.loader = loader;
  const auto name = Symbol(memory_.Load<Address>(at + layout_.klass.name).value_or(0));
  const auto helper = memory_.Load<int32_t>(at + layout_.klass.layout_helper);
  const auto super = memory_.Load<Address>(at + layout_.klass.super);
  const auto access = memory_.Load<uint16_t>(at + layout_.klass.access);
  const auto owner = memory_.Load<Address>(at + layout_.klass.loader);
  if (!name || !helper || !super || !access || owner != loader) return std::nullopt;
  klass.name = *name;
  klass.super = *super;
  klass.access = *access;
  klass.is_instance = *helper >= 0;
  if (klass.is_instance) {
    const auto state = memory_.Load<uint8_t>(at + layout_.instance.init_state);
    if (!state) return std::nullopt;
    klass.is_linked = *state >= layout_.instance.linked;
  }
  return klass;
}

std::optional<std::vector<ListedClass>> Metadata::Classes() {
  std::vector<ListedClass> all;
  const auto first_loader = memory_.Load<Address>(layout_.loaders);
  if (!first_loader) return std::nullopt;
  Address loader = *first_loader;
  NumberMap<bool> seen;  // a list that changes while it is read may lead in circles
  while (loader != 0) {
    if (!seen.TryAdd(loader).second) return std::nullopt;
    const size_t first = all.size();
    auto klass = memory_.Load<Address>(loader + layout_.loader.classes);
    for (; klass && *klass != 0; klass = memory_.Load<Address>(*klass + layout_.klass.next)) {
      if (!seen.TryAdd(*klass).second) return std::nullopt;
      if (const auto read = ReadClass(*klass, loader)) {
        all.push_back(*read);
      } else {
        return std::nullopt;
      }
    }
    // New classes are put in front.
    std::reverse(all.begin() + static_cast<ptrdiff_t>(first), all.end());
    const auto next = memory_.Load<Address>(loader + layout_.loader.next);
    if (!klass || !next) return std::nullopt;
    loader = *next;
  }
  return all;
}

std::optional<ListedMethod> Metadata::ReadMethod(Address at, Symbols* symbols) const {
  const auto& m = layout_.method;
  const auto& c = layout_.code;
  ListedMethod method;
  method.at = at;
  method.code = memory_.Load<Address>(at + m.code).value_or(0);
  if (method.code == 0) return std::nullopt;
  const auto data = memory_.Load<Address>(at + m.data);
  const auto counters = memory_.Load<Address>(at + m.counters);
  const auto access = memory_.Load<uint32_t>(at + m.access);
  const auto intrinsic = memory_.Load<uint16_t>(at + m.intrinsic);
  const auto compiled = memory_.Load<Address>(at + m.compiled);
  const auto pool = memory_.Load<Address>(method.code + c.pool);
  const auto size = memory_.Load<uint16_t>(method.code + c.code_size);
  const auto name = memory_.Load<uint16_t>(method.code + c.name);
  const auto descriptor = memory_.Load<uint16_t>(method.code + c.signature);
  if (!data || !counters || !access || !intrinsic || !compiled || !pool || *pool == 0 || !size ||
      !name || !descriptor)
    return std::nullopt;
  const auto symbol = [&](uint32_t index) {
    const Address slot = *pool + layout_.pool.size + Address{index} * sizeof(uint64_t);
    return memory_.Load<Address>(slot).value_or(0);
  };
  *symbols = {symbol(*name), symbol(*descriptor)};
  method.data = *data;
  method.pool = *pool;
  method.name_index = *name;
  method.descriptor_index = *descriptor;
  method.access = static_cast<uint16_t>(*access);
  method.is_old = m.is_old != 0 && (*access & m.is_old) != 0;
  method.code_size = *size;
  method.intrinsic = *intrinsic;
  method.compiled = *compiled;
  if (*counters != 0) {
    const auto count = memory_.Load<uint32_t>(*counters + layout_.counters.invocations);
    method.invocations = count.value_or(0) >> layout_.counters.shift;
    const auto back_edges = memory_.Load<uint32_t>(*counters + layout_.counters.back_edges);
    method.back_edges = back_edges.value_or(0) >> layout_.counters.shift;
    method.has_unknown_counters = !count || !back_edges;
    const uint32_t flags = (uint32_t{1} << layout_.counters.shift) - 1;
    method.has_lowered_counters = ((count.value_or(0) | back_edges.value_or(0)) & flags) != 0;
    if (layout_.counters.highest != 0) {
      method.highest = memory_.Load<uint8_t>(*counters + layout_.counters.highest);
      method.highest_of_loops = memory_.Load<uint8_t>(*counters + layout_.counters.highest + 1);
    }
  }
  return method;
}

std::optional<std::vector<ListedMethod>> Metadata::MethodsOf(const ListedClass& klass) {
  const auto array = memory_.Load<Address>(klass.at + layout_.instance.methods);
  if (!array) return std::nullopt;
  const auto addresses = Array<Address>(*array, layout_.array.pointers_data, kMostMembers);
  if (!addresses) return std::nullopt;
  std::vector<ListedMethod> methods;
  methods.reserve(addresses->size());
  symbols_of_methods_.clear();
  for (const Address at : *addresses) {
    Symbols symbols;
    const auto method = at == 0 ? std::nullopt : ReadMethod(at, &symbols);
    if (!method) return std::nullopt;
    methods.push_back(*method);
    symbols_.Expect(symbols.name);
    symbols_.Expect(symbols.descriptor);
    symbols_of_methods_.push_back(symbols);
  }
  for (size_t m = 0; m < methods.size(); ++m) {
    const auto name = MethodName(symbols_of_methods_[m].name);
    const auto descriptor = MethodDescriptor(symbols_of_methods_[m].descriptor);
    if (!name || !descriptor) return std::nullopt;
    methods[m].name = *name;
    methods[m].descriptor = *descriptor;
  }
  return methods;
}

std::vector<Address> Metadata::InterfacesOf(const ListedClass& klass) {
  const auto array = memory_.Load<Address>(klass.at + layout_.instance.local_interfaces);
  if (!array || *array == 0) return {};
  return Array<Address>(*array, layout_.array.pointers_data, kMostInterfaces)
      .value_or(std::vector<Address>());
}

std::optional<Pool> Metadata::ReadPool(Address at) const {
  const auto length = memory_.Load<int32_t>(at + layout_.pool.length);
  const auto tags = memory_.Load<Address>(at + layout_.pool.tags);
  const auto cache = memory_.Load<Address>(at + layout_.pool.cache);
  if (!length || *length < 1 || *length > 65'535 || !tags || !cache) return std::nullopt;
  auto tag_bytes = Array<uint8_t>(*tags, layout_.array.bytes_data, 65'535);
  if (!tag_bytes || tag_bytes->size() != static_cast<size_t>(*length)) return std::nullopt;
  Pool pool{.tags = std::move(*tag_bytes), .slots = {}, .cache = *cache};
  pool.slots.resize(static_cast<size_t>(*length));
  if (!memory_.Read(at + layout_.pool.size, pool.slots.data(), pool.slots.size() * 8))
    return std::nullopt;
  return pool;
}

std::optional<std::string_view> Metadata::Utf8(const Pool& pool, uint32_t index) {
  if (pool.TagOf(index) != kTagUtf8) return std::nullopt;
  return Symbol(pool.slots[index]);
}

std::optional<std::string_view> Metadata::ClassName(const Pool& pool, uint32_t index) {
  const uint8_t tag = pool.TagOf(index);
  if (tag != kTagClass && tag != kTagUnresolvedClass && tag != kTagUnresolvedClassInError)
    return std::nullopt;
  return Utf8(pool, High(pool.slots[index]));
}

std::optional<PoolMember> Metadata::Member(const Pool& pool, uint32_t index) {
  const uint8_t tag = pool.TagOf(index);
  const bool is_dynamic = tag == kTagInvokeDynamic || tag == kTagDynamic;
  if (!is_dynamic && (tag < kTagField || tag > kTagInterfaceMethod)) return std::nullopt;
  const uint32_t name_and_type = High(pool.slots[index]);
  if (pool.TagOf(name_and_type) != kTagNameAndType) return std::nullopt;
  for (const uint32_t half : {Low(pool.slots[name_and_type]), High(pool.slots[name_and_type])})
    symbols_.Expect(half < pool.slots.size() ? pool.slots[half] : 0);
  PoolMember member;
  if (!is_dynamic) {
    const auto owner = ClassName(pool, Low(pool.slots[index]));
    if (!owner) return std::nullopt;
    member.owner = *owner;
  }
  const auto name = Utf8(pool, Low(pool.slots[name_and_type]));
  const auto descriptor = Utf8(pool, High(pool.slots[name_and_type]));
  if (!name || !descriptor) return std::nullopt;
  member.name = *name;
  member.descriptor = *descriptor;
  return member;
}

}  // namespace iprof::hotspot
